#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tests/unit/engine/engine_fixture.h"
#include "tests/unit/rules/rule.h"

namespace jobhost {

/// A node with one failing type `a`, whose calls are written down in order.
class RuleSite : public EngineTest {
public:
    void TestBody() override {}

    using Script = ScriptedHandler::Script;

    Script noted(const std::string& name, std::optional<ThrownError> end = {}) {
        return [this, name, end](const Job&, PluginContext&) {
            const std::lock_guard lock(mutex_);
            calls_ += (calls_.empty() ? "" : ", ") + name;
            return end;
        };
    }
    std::string calls() const {
        const std::lock_guard lock(mutex_);
        return calls_.empty() ? "nobody" : calls_;
    }

    void add_failing(Script handler, PolicyLevel policy = retry_at_once(1)) {
        add_type(
            types, "a", [](RunContext&) -> RunResult { return Threw{thrown("Down")}; },
            std::move(policy), std::move(handler));
    }
    void add_audit(bool applies, Script forward) {
        add_forwarder(
            types, "audit", [applies](const Job&) { return applies; }, std::move(forward));
    }

    JobId enqueue_a(NewJob job = {.type = "a"}) { return enqueue(std::move(job)); }
    void begin() { start(); }

    /// Runs until nothing is due; answers the job's dead-letter rows.
    std::string rows_after_run(JobId id) {
        if (!engine) start();
        if (!settle()) return "does not settle";
        return rows(id);
    }
    std::string rows(JobId id) {
        std::string text;
        for (const std::string& row : store.dead_letters(id)) {
            text += (text.empty() ? "" : ", ") + row;
        }
        return text.empty() ? "no rows" : text;
    }
    std::string state(JobId id) { return std::string(to_string(job(id).state)); }
    Job read(JobId id) { return job(id); }
    void stop_node() {
        engine->stop();
        engine.reset();
    }

    Store& session() { return store.session(); }
    EngineSettings& its_settings() { return settings; }
    JobTypes& its_types() { return types; }
    RecordingEvents& its_events() { return events; }
    Engine& node() { return *engine; }

    /// A node that failed a job and died with its run in this state.
    std::int64_t run_of_dead_node(bool started) {
        NodeRegistration registration{.name = "dead", .types = {{"a", true}}};
        const NodeId dead = session().register_node(registration);
        const JobId id = enqueue({.type = "a", .max_attempts = 1});
        session().set_claim_plan({{"default", {{"a", 10}}}});
        const std::vector<Demand> demand = {{0, 1, 0}};
        const auto claimed = session().exchange(dead, {}, demand).claimed;
        RunReport report{.lease = claimed.at(0).lease};
        report.next = Fail{{}, "exhausted", {{DeadLetterKind::kHandler, "a"}}};
        const std::vector<Write> failed = {report};
        const auto owed = session().exchange(dead, failed, {}).answers.at(0).owed;
        if (started) {
            const std::vector<Write> start = {StartDeadLetter{owed.at(0).run}};
            session().exchange(dead, start, {});
        }
        session().declare_dead(dead, 0, "killed");
        return id;
    }

private:
    mutable std::mutex mutex_;
    std::string calls_;
};

/// A rule that needs a working node.
using SiteRule = Rule<RuleSite>;

}  // namespace jobhost
