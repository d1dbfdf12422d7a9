#include "host/http/probe_routes.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/observe/metrics_text.h"
#include "host/text/json_writer.h"
#include "storage/storage_error.h"

namespace jobhost::http {
namespace {

class Probes {
public:
    explicit Probes(const ProbeFacts& facts) : facts_(facts) {}

    Response ready() {
        std::vector<std::string> reasons;
        if (const auto wrong = ask([](Store& store) { store.pauses(); })) {
            reasons.push_back("the store does not answer: " + *wrong);
        }
        if (!facts_.engine.beats_on_time()) {
            reasons.emplace_back("this node's heartbeat is not stored on time");
        }
        if (facts_.is_stopping()) reasons.emplace_back("this node is stopping");
        JsonWriter json;
        json.begin_object().field("ready", reasons.empty()).field("reasons", reasons).end_object();
        return {.status = reasons.empty() ? 200 : 503, .body = json.text()};
    }

    Response metrics() {
        StoreGauges gauges;
        const auto wrong = ask([&](Store& store) {
            gauges = {
                .now = store.now(), .jobs = store.type_counts(), .due = store.due_counts(kDueCap)};
        });
        return {.content_type = "text/plain; version=0.0.4; charset=utf-8",
                .body = metrics_text(facts_.counters, wrong ? nullptr : &gauges)};
    }

private:
    /// What went wrong, or nullopt.
    template <class Question>
    std::optional<std::string> ask(const Question& question) {
        try {
            facts_.sessions.with([&](Store& store) { question(store); });
            return std::nullopt;
        } catch (const StorageError& error) {
            return error.what();
        }
    }

    const ProbeFacts facts_;
};

}  // namespace

void add_probe_routes(Router& router, const ProbeFacts& facts) {
    const auto probes = std::make_shared<Probes>(facts);
    router.add("GET", "/healthz", Access::kOpen,
               [](const Request&, const Places&) { return Response{.body = "{\"alive\":true}"}; },
               {.is_instant = true});
    router.add("GET", "/readyz", Access::kOpen,
               [probes](const Request&, const Places&) { return probes->ready(); });
    router.add("GET", "/metrics", Access::kToken,
               [probes](const Request&, const Places&) { return probes->metrics(); });
}

}  // namespace jobhost::http
