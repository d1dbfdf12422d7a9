#include "host/api/stats.h"

#include <algorithm>
#include <utility>

#include "host/api/places.h"

namespace jobhost::api {

Stats stats(const std::vector<TypeCounts>& counts, const std::vector<Node>& nodes,
            std::vector<MinuteStat> minutes) {
    Stats stats{.minutes = std::move(minutes)};
    for (const TypeCounts& one : counts) add_counts(stats.now, one);
    for (const MinuteStat& minute : stats.minutes) {
        stats.hour.enqueued += minute.enqueued;
        stats.hour.succeeded += minute.succeeded;
        stats.hour.failed += minute.failed;
        stats.hour.retried += minute.retried;
    }
    stats.live_nodes = std::ranges::count(nodes, NodeState::kLive, &Node::state);
    return stats;
}

Stats stats(Store& store) {
    return stats(store.type_counts(), store.nodes(),
                 store.minute_stats(store.now() - std::chrono::hours(1)));
}

void write_totals(JsonWriter& json, const Stats& stats) {
    json.key("jobs")
        .begin_object()
        .field("waiting", stats.now.waiting)
        .field("processing", stats.now.processing)
        .field("succeeded", stats.now.succeeded)
        .field("failed", stats.now.failed)
        .field("expired", stats.now.expired)
        .field("cancelled", stats.now.cancelled)
        .end_object()
        .field("live_nodes", stats.live_nodes)
        .key("last_hour")
        .begin_object()
        .field("enqueued", stats.hour.enqueued)
        .field("succeeded", stats.hour.succeeded)
        .field("failed", stats.hour.failed)
        .field("retried", stats.hour.retried)
        .end_object();
}

std::string stats_json(const Stats& stats) {
    JsonWriter json;
    json.begin_object();
    write_totals(json, stats);
    json.key("minutes").begin_array();
    for (const MinuteStat& minute : stats.minutes) {
        json.begin_object()
            .field("minute", minute.minute)
            .field("queue", minute.queue)
            .field("enqueued", minute.enqueued)
            .field("succeeded", minute.succeeded)
            .field("failed", minute.failed)
            .field("retried", minute.retried)
            .end_object();
    }
    json.end_array().end_object();
    return json.text();
}

}  // namespace jobhost::api
