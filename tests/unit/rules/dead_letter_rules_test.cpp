// SPEC 7, and what of SPEC 6 needs a store: rule by rule, on a working node.
#include <future>
#include <latch>

#include "host/observe/counters.h"
#include "tests/unit/rules/rule_site.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

class DeadLetterRules : public testing::TestWithParam<SiteRule> {};

TEST_P(DeadLetterRules, Hold) {
    RuleSite site;
    EXPECT_EQ(GetParam().shows(site), GetParam().outcome) << GetParam().words;
}

// ---- SPEC 6 with a store

std::string enqueued_limit(RuleSite& site) {
    site.add_failing({}, retry_at_once(5));
    const JobId id = site.enqueue_a({.type = "a", .max_attempts = 2});
    site.rows_after_run(id);
    return std::to_string(site.read(id).attempts);
}

std::string waiting_retry(RuleSite& site) {
    PolicyLevel policy = retry_at_once(5);
    policy.retry.initial_delay = 1h;
    site.add_failing({}, policy);
    const JobId id = site.enqueue_a();
    site.rows_after_run(id);
    const Duration wait = site.read(id).run_at - site.session().now();
    return site.state(id) + (wait > 50min && wait < 70min ? " for its delay" : " for another time");
}

std::string rules_of_the_start(RuleSite& site) {
    std::latch running(1);
    std::latch changed(1);
    std::atomic<int> runs = 0;
    add_type(
        site.its_types(), "a",
        [&](RunContext&) -> RunResult {
            if (++runs > 1) return Returned{};
            running.count_down();
            changed.wait();
            return Threw{thrown("Down")};
        },
        retry_at_once(5));
    const JobId id = site.enqueue_a();
    site.begin();
    running.wait();
    PolicyLevel listed;
    listed.do_not_retry = {"Down"};
    site.its_settings().global = listed;
    site.node().apply(site.its_settings());
    changed.count_down();
    site.rows_after_run(id);
    return site.state(id);
}

const SiteRule kRetries[] = {
    {"the limit of the enqueuer comes before every level", enqueued_limit, "2"},
    {"a retry waits as scheduled", waiting_retry, "scheduled for its delay"},
    {"a run keeps the rules it started with", rules_of_the_start, "succeeded"},
};
INSTANTIATE_TEST_SUITE_P(Retries, DeadLetterRules, testing::ValuesIn(kRetries),
                         name_of_rule<SiteRule>);

// ---- SPEC 7: order and isolation

std::string seen_by_handler(RuleSite& site) {
    std::string seen;
    site.add_failing([&](const Job& failed, PluginContext&) -> std::optional<ThrownError> {
        seen = site.state(failed.id) + ", " + site.rows(failed.id) + ", " + failed.last_error->type;
        return std::nullopt;
    });
    site.add_audit(true, site.noted("audit"));
    site.rows_after_run(site.enqueue_a());
    return seen;
}

std::string in_order(RuleSite& site) {
    site.add_failing(site.noted("handler"));
    site.add_audit(true, site.noted("audit"));
    site.rows_after_run(site.enqueue_a());
    return site.calls();
}

std::string not_applicable(RuleSite& site) {
    site.add_failing(site.noted("handler"));
    site.add_audit(false, site.noted("audit"));
    const std::string rows = site.rows_after_run(site.enqueue_a());
    return site.calls() + ": " + rows;
}

std::string thrown_by_handler(RuleSite& site) {
    site.add_failing(site.noted("handler", thrown("Broken", {}, "no mail server")));
    site.add_audit(true, site.noted("audit"));
    const JobId id = site.enqueue_a();
    const std::string rows = site.rows_after_run(id);
    return site.calls() + ": " + rows + "; " +
           site.session().dead_letters(id, std::nullopt, 9, 0).back().error;
}

std::string thrown_by_forwarder(RuleSite& site) {
    site.add_failing({});
    site.add_audit(true, site.noted("audit", thrown("Broken")));
    add_forwarder(
        site.its_types(), "mail", [](const Job&) { return true; }, site.noted("mail"));
    const std::string rows = site.rows_after_run(site.enqueue_a());
    return site.calls() + ": " + rows;
}

std::string thrown_by_applies_to(RuleSite& site) {
    site.add_failing({});
    add_forwarder(
        site.its_types(), "audit", [](const Job&) { return thrown("Broken"); },
        site.noted("audit"));
    const std::string rows = site.rows_after_run(site.enqueue_a());
    return site.calls() + ": " + rows;
}

std::string slow_handler(RuleSite& site) {
    std::latch reached(1);
    std::latch go(1);
    site.its_settings().queues[0].workers = 1;
    site.add_failing([&](const Job&, PluginContext&) -> std::optional<ThrownError> {
        reached.count_down();
        go.wait();
        return std::nullopt;
    });
    add_type(site.its_types(), "quick", [](RunContext&) -> RunResult { return Returned{}; });
    site.enqueue_a();
    site.begin();
    reached.wait();
    const JobId quick = site.enqueue_a({.type = "quick"});
    const bool ran = site.its_events().wait_for_job("job_succeeded", quick);
    go.count_down();
    site.rows_after_run(quick);
    return ran ? "runs beside it" : "waits for it";
}

std::string no_handler(RuleSite& site) {
    site.add_failing({});
    const JobId id = site.enqueue_a();
    const std::string rows = site.rows_after_run(id);
    return site.state(id) + ", " + rows + ", " +
           std::to_string(
               site.session().list_jobs({.states = {JobState::kFailed}}, 9, "").jobs.size()) +
           " listed";
}

std::string limit_of_handler(RuleSite& site) {
    StopCause saw = StopCause::kNone;
    site.its_settings().dead_letter_timeout = 20ms;
    site.add_failing([&](const Job&, PluginContext& context) -> std::optional<ThrownError> {
        saw = context.wait(20s);
        return thrown("Interrupted");
    });
    const std::string rows = site.rows_after_run(site.enqueue_a());
    return std::string(saw == StopCause::kTimeout ? "asked to stop" : "not asked") + ", " + rows;
}

std::string logs_and_enqueues(RuleSite& site) {
    site.add_failing([](const Job&, PluginContext& context) -> std::optional<ThrownError> {
        context.log(LogLevel::kInfo, "refunding");
        context.enqueue({.type = "refund"});
        return std::nullopt;
    });
    site.rows_after_run(site.enqueue_a());
    return std::to_string(site.its_events().count("dead_letter_logged")) + " line, " +
           std::to_string(site.session().count_jobs({.type = "refund"}, 9)) + " job";
}

std::string every_way_to_failed(RuleSite& site) {
    PolicyLevel policy = retry_at_once(5);
    policy.do_not_retry = {"Hopeless"};
    policy.timeout = 10ms;
    add_type(
        site.its_types(), "a",
        [](RunContext& context) -> RunResult {
            const std::string& wish = context.job().input;
            if (wish == "1") return Threw{thrown("Hopeless")};
            if (wish == "2") return AskedForDeadLetter{"no", thrown("jobhost::DeadLetter")};
            if (wish == "3") return Threw{host_error(kPayloadError, "not a number")};
            if (wish == "4") return Threw{thrown("Down")};
            context.wait(20s);
            return LeftEarly{};
        },
        policy, site.noted("handler"));
    for (const char* wish : {"1", "2", "3", "4"}) site.enqueue_a({.type = "a", .input = wish});
    const JobId last = site.enqueue_a({.type = "a", .input = "5", .max_attempts = 1});
    site.rows_after_run(last);
    return site.calls();
}

std::string discarded(RuleSite& site) {
    add_type(
        site.its_types(), "a", [](RunContext&) -> RunResult { return AskedToDiscard{"stale"}; }, {},
        site.noted("handler"));
    const JobId id = site.enqueue_a();
    const std::string rows = site.rows_after_run(id);
    return site.state(id) + ", " + rows + ", " + site.calls();
}

const SiteRule kOrder[] = {
    {"the move to failed and the owed rows are committed first", seen_by_handler,
     "failed, a started, audit owed, Down"},
    {"then the handler runs and then the forwarders", in_order, "handler, audit"},
    {"a forwarder that does not apply is not called and its row says so", not_applicable,
     "handler: a succeeded, audit not_applicable"},
    {"what a handler throws stops nobody and its row says so", thrown_by_handler,
     "handler, audit: a failed, audit succeeded; Broken: no mail server"},
    {"what a forwarder throws stops nobody and its row says so", thrown_by_forwarder,
     "audit, mail: audit failed, mail succeeded"},
    {"what applies_to throws is the forwarder's failure", thrown_by_applies_to,
     "nobody: audit failed"},
    {"a slow handler never blocks a worker", slow_handler, "runs beside it"},
    {"a job without a handler is simply failed and stays visible", no_handler,
     "failed, no rows, 1 listed"},
    {"dead_letter.timeout asks the handler to stop", limit_of_handler, "asked to stop, a failed"},
    {"handlers may log and enqueue", logs_and_enqueues, "1 line, 1 job"},
    {"every way to failed is handled", every_way_to_failed,
     "handler, handler, handler, handler, handler"},
    {"a discarded job is not dead-lettered", discarded, "cancelled, no rows, nobody"},
};
INSTANTIATE_TEST_SUITE_P(Order, DeadLetterRules, testing::ValuesIn(kOrder), name_of_rule<SiteRule>);

// ---- SPEC 7: once

std::string guarded_start(RuleSite& site) {
    const JobId id = site.run_of_dead_node(false);
    const std::int64_t run = site.session().dead_letters(id, std::nullopt, 9, 0).front().run;
    const std::vector<std::string> own{"a"};
    site.session().close_dead_letters(own, {});
    const std::vector<Write> start = {StartDeadLetter{run}};
    const NodeId other = site.session().register_node({.name = "n", .types = {{"a", true}}});
    const auto answer = site.session().exchange(other, start, {}).answers.at(0);
    return answer.outcome == WriteAnswer::Outcome::kLeaseLost ? "not started" : "started";
}

std::string left_by_dead_node(RuleSite& site, bool started, bool at_least_once) {
    PolicyLevel policy = retry_at_once(1);
    policy.at_least_once = at_least_once;
    site.add_failing(site.noted("handler"), policy);
    const JobId id = site.run_of_dead_node(started);
    site.begin();
    site.its_events().wait("dead_letter_left");
    const std::string rows = site.rows_after_run(id);
    return site.calls() + ": " + rows;
}

std::string moved_twice(RuleSite& site) {
    site.add_failing(site.noted("handler"));
    const JobId id = site.enqueue_a();
    site.rows_after_run(id);
    site.session().requeue_job(id, false);
    const std::string rows = site.rows_after_run(id);
    return site.calls() + ": " + rows;
}

std::string handed_on(RuleSite& site) {
    std::latch reached(1);
    std::atomic<int> calls = 0;
    site.its_settings().dead_letter_workers = 1;
    site.its_settings().shutdown_grace = 0s;
    site.add_failing([&](const Job&, PluginContext& context) -> std::optional<ThrownError> {
        if (++calls == 1) {
            reached.count_down();
            context.wait(20s);
        }
        return std::nullopt;
    });
    site.enqueue_a();
    site.begin();
    reached.wait();
    const JobId second = site.enqueue_a();
    site.its_events().wait_for_job("job_failed", second);
    site.stop_node();
    const std::string waits = site.rows(second);
    return waits + ", then " + site.rows_after_run(second);
}

std::string run_by_hand(RuleSite& site, bool requeued_first, bool force) {
    std::atomic<int> runs = 0;
    add_type(
        site.its_types(), "a",
        [&](RunContext&) -> RunResult {
            if (++runs > 1) return Returned{};
            return Threw{thrown("Down")};
        },
        retry_at_once(1), site.noted("handler"));
    const JobId id = site.enqueue_a();
    site.rows_after_run(id);
    if (requeued_first) {
        site.session().requeue_job(id, false);
        site.rows_after_run(id);
    }
    const std::int64_t run = site.session().dead_letters(id, std::nullopt, 9, 0).front().run;
    const RerunAnswer answer = site.session().rerun_dead_letter(run, force);
    if (answer.outcome != ControlAnswer::Outcome::kDone) return "refused";
    site.its_events().wait("dead_letter_finished", 2);
    return site.calls() + ": " + site.rows_after_run(id);
}

std::string counted(RuleSite& site) {
    Counters counters;
    for (int i = 0; i < 2; ++i) {
        counters.dead_letter_finished({.kind = DeadLetterKind::kForwarder, .name = "audit"},
                                      DeadLetterState::kSucceeded, "");
    }
    counters.dead_letter_finished({.kind = DeadLetterKind::kForwarder, .name = "audit"},
                                  DeadLetterState::kFailed, "");
    counters.dead_letter_finished({.kind = DeadLetterKind::kForwarder, .name = "audit"},
                                  DeadLetterState::kNotApplicable, "");
    static_cast<void>(site);
    const ForwarderCounts counts = counters.forwarders().at("audit");
    return std::to_string(counts.forwarded) + " forwarded, " + std::to_string(counts.failed) +
           " failed";
}

const SiteRule kOnce[] = {
    {"a run that a watcher closed cannot be started any more", guarded_start, "not started"},
    {"what a dead node had started is not called again",
     [](RuleSite& site) { return left_by_dead_node(site, true, false); }, "nobody: a interrupted"},
    {"what a dead node only owed is not called either",
     [](RuleSite& site) { return left_by_dead_node(site, false, false); }, "nobody: a interrupted"},
    {"at_least_once what a dead node owed runs again",
     [](RuleSite& site) { return left_by_dead_node(site, false, true); }, "handler: a succeeded"},
    {"once is per move to failed", moved_twice, "handler, handler: a succeeded, a succeeded"},
    {"an orderly stop leaves owed runs to the next owner", handed_on, "a owed, then a succeeded"},
    {"rerun does it once more by hand",
     [](RuleSite& site) { return run_by_hand(site, false, false); },
     "handler, handler: a succeeded, a succeeded"},
    {"rerun is refused when the job is no longer failed",
     [](RuleSite& site) { return run_by_hand(site, true, false); }, "refused"},
    {"unless forced", [](RuleSite& site) { return run_by_hand(site, true, true); },
     "handler, handler: a succeeded, a succeeded"},
    {"forwarders are counted by name", counted, "2 forwarded, 1 failed"},
};
INSTANTIATE_TEST_SUITE_P(Once, DeadLetterRules, testing::ValuesIn(kOnce), name_of_rule<SiteRule>);

}  // namespace
}  // namespace jobhost
