#include "host/api/overview.h"

#include <algorithm>
#include <map>
#include <set>

#include "host/api/places.h"
#include "host/api/stats.h"
#include "host/observe/counted.h"
#include "host/observe/duration_text.h"
#include "host/text/json_writer.h"

namespace jobhost::api {
namespace {

constexpr std::size_t kMostWarnings = 50;

/// What live nodes can run: types, and queues for each.
using Reach = std::map<std::string, std::set<std::string>, std::less<>>;

Reach reach_of(const std::vector<Node>& nodes) {
    Reach reach;
    for (const Node& node : nodes) {
        if (node.state != NodeState::kLive) continue;
        for (const NodeType& type : node.registration.types) {
            reach[type.name].insert(node.registration.queues.begin(),
                                    node.registration.queues.end());
        }
    }
    return reach;
}

void warn_of_stranded(const OverviewFacts& facts, std::vector<Warning>& all) {
    const Reach reach = reach_of(facts.nodes);
    for (const TypeCounts& counts : facts.counts) {
        if (counts.waiting <= 0) continue;
        const std::string waiting = counted(counts.waiting, "job") + " of type " + counts.type +
                                    " in queue " + counts.queue + " can run nowhere: ";
        const auto queues = reach.find(counts.type);
        if (queues == reach.end()) {
            all.push_back({"no_live_node_for_type", waiting + "no live node has loaded the type",
                           counts.type, counts.queue});
        } else if (!queues->second.contains(counts.queue)) {
            all.push_back({"no_live_node_for_queue",
                           waiting + "no live node with the type works on the queue", counts.type,
                           counts.queue});
        }
    }
}

void warn_of_pauses(const OverviewFacts& facts, std::vector<Warning>& all) {
    for (const Pause& pause : facts.pauses) {
        const bool is_queue = pause.kind == Pause::Kind::kQueue;
        std::int64_t waiting = 0;
        for (const TypeCounts& counts : facts.counts) {
            if ((is_queue ? counts.queue : counts.type) == pause.name) waiting += counts.waiting;
        }
        std::string text = std::string(is_queue ? "queue " : "type ") + pause.name + " is paused";
        if (!pause.service.empty()) text += " for service " + pause.service;
        if (!pause.by.empty()) text += " by " + pause.by;
        text += ": " + counted(waiting, "job") + (waiting == 1 ? " waits" : " wait") + " behind it";
        all.push_back({is_queue ? "paused_queue" : "paused_type", text, is_queue ? "" : pause.name,
                       is_queue ? pause.name : ""});
    }
}

void warn_of_silent_nodes(const OverviewFacts& facts, std::vector<Warning>& all) {
    for (const Node& node : facts.nodes) {
        if (node.state != NodeState::kLive) continue;
        const Duration silent = facts.now - node.beat_at;
        if (silent < node.registration.beat_interval * 3) continue;
        all.push_back({"node_silent", "node " + std::to_string(node.id) + " (" +
                                          node.registration.name + ") has not beaten for " +
                                          duration_text(silent)});
    }
}

void write_minutes(JsonWriter& json, const std::vector<MinuteStat>& minutes) {
    std::map<TimePoint, MinuteStat> sums;
    for (const MinuteStat& minute : minutes) {
        MinuteStat& sum = sums[minute.minute];
        sum.enqueued += minute.enqueued;
        sum.succeeded += minute.succeeded;
        sum.failed += minute.failed;
        sum.retried += minute.retried;
    }
    json.key("minutes").begin_array();
    for (const auto& [minute, sum] : sums) {
        json.begin_object()
            .field("minute", minute)
            .field("enqueued", sum.enqueued)
            .field("succeeded", sum.succeeded)
            .field("failed", sum.failed)
            .field("retried", sum.retried)
            .end_object();
    }
    json.end_array();
}

void write_latency(JsonWriter& json, const std::vector<MinuteLatency>& minutes) {
    json.key("latency").begin_array();
    for (const MinuteLatency& minute : minutes) {
        json.begin_object()
            .field("minute", minute.minute)
            .field("runs", minute.runs)
            .field("wait_p50", minute.wait_p50)
            .field("wait_p95", minute.wait_p95)
            .field("run_p50", minute.run_p50)
            .field("run_p95", minute.run_p95)
            .end_object();
    }
    json.end_array();
}

void write_queues(JsonWriter& json, const OverviewFacts& facts) {
    const Places queues = places(
        {.counts = facts.counts, .due = facts.due, .nodes = facts.nodes, .pauses = facts.pauses},
        Pause::Kind::kQueue);
    json.key("queues").begin_array();
    for (const auto& [name, queue] : queues) {
        json.begin_object()
            .field("name", name)
            .field("waiting", queue.counts.waiting)
            .field("due", queue.due)
            .field("due_is_capped", queue.due >= kDueCap)
            .key("oldest_due");
        if (queue.oldest_run_at) {
            json.seconds(std::max(facts.now - *queue.oldest_run_at, Duration(0)));
        } else {
            json.null();
        }
        json.field("processing", queue.counts.processing)
            .field("failed", queue.counts.failed)
            .field("nodes", queue.nodes)
            .field("paused", !queue.pauses.empty())
            .end_object();
    }
    json.end_array();
}

}  // namespace

OverviewFacts overview_facts(Store& store) {
    OverviewFacts facts{.now = store.now()};
    facts.counts = store.type_counts();
    facts.due = store.due_counts(kDueCap);
    facts.nodes = store.nodes();
    facts.pauses = store.pauses();
    facts.minutes = store.minute_stats(facts.now - std::chrono::hours(1));
    return facts;
}

std::vector<Warning> warnings(const OverviewFacts& facts) {
    std::vector<Warning> all;
    warn_of_stranded(facts, all);
    warn_of_silent_nodes(facts, all);
    warn_of_pauses(facts, all);
    if (all.size() > kMostWarnings) {
        const auto left = static_cast<std::int64_t>(all.size() - kMostWarnings);
        all.resize(kMostWarnings);
        all.push_back({"more", "and " + counted(left, "warning") + " more"});
    }
    return all;
}

std::string overview_json(const OverviewFacts& facts, const OverviewNode& node) {
    JsonWriter json;
    json.begin_object()
        .field("now", facts.now)
        .field("service", node.service)
        .field("node", node.node);
    write_totals(json, stats(facts.counts, facts.nodes, facts.minutes));
    write_minutes(json, facts.minutes);
    write_latency(json, node.latency);
    write_queues(json, facts);
    json.key("warnings").begin_array();
    for (const Warning& warning : warnings(facts)) {
        json.begin_object()
            .field("code", warning.code)
            .field("text", warning.text)
            .text_or_null("type", warning.type)
            .text_or_null("queue", warning.queue)
            .end_object();
    }
    json.end_array()
        .key("store")
        .begin_object()
        .field("ok", node.store_error.empty())
        .field("text", node.store_error)
        .end_object()
        .end_object();
    return json.text();
}

}  // namespace jobhost::api
