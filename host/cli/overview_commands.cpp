#include <cstdint>
#include <string>
#include <vector>

#include "host/cli/commands.h"
#include "host/cli/exit_status.h"
#include "host/cli/store_access.h"
#include "host/cli/text_table.h"
#include "host/text/json_writer.h"
#include "host/text/time_text.h"

namespace jobhost::cli {
namespace {

std::string_view state_text(NodeState state) {
    switch (state) {
        case NodeState::kLive: return "live";
        case NodeState::kDead: return "dead";
        case NodeState::kStopped: return "stopped";
    }
    return "unknown";
}

void write_node(JsonWriter& json, const Node& node) {
    const NodeRegistration& known = node.registration;
    json.begin_object().key("id").id(node.id);
    json.field("name", known.name)
        .field("service", known.service)
        .field("state", state_text(node.state))
        .field("host", known.host)
        .field("pid", known.pid)
        .field("version", known.version)
        .field("incarnation", known.incarnation)
        .field("started_at", node.started_at)
        .field("beat_at", node.beat_at)
        .text_or_null("death", node.death)
        .field("processing", node.processing)
        .field("queues", known.queues)
        .field("plugins", known.plugins)
        .key("types")
        .begin_array();
    for (const NodeType& type : known.types) {
        json.begin_object()
            .field("name", type.name)
            .field("has_handler", type.has_handler)
            .end_object();
    }
    json.end_array().end_object();
}

std::string join(const std::vector<std::string>& texts) {
    std::string joined;
    for (const std::string& text : texts) joined += (joined.empty() ? "" : ", ") + text;
    return joined;
}

/// All queues and types together, and what happened in the last hour.
struct Totals {
    TypeCounts now = {};
    MinuteStat hour = {};
};

Totals add_up(const std::vector<TypeCounts>& all, const std::vector<MinuteStat>& minutes) {
    Totals totals;
    for (const TypeCounts& counts : all) {
        totals.now.waiting += counts.waiting;
        totals.now.processing += counts.processing;
        totals.now.succeeded += counts.succeeded;
        totals.now.failed += counts.failed;
        totals.now.expired += counts.expired;
        totals.now.cancelled += counts.cancelled;
    }
    for (const MinuteStat& minute : minutes) {
        totals.hour.enqueued += minute.enqueued;
        totals.hour.succeeded += minute.succeeded;
        totals.hour.failed += minute.failed;
        totals.hour.retried += minute.retried;
    }
    return totals;
}

void print_stats(const Totals& totals, std::int64_t live, Output& out) {
    using enum TextTable::Align;
    TextTable jobs({{"WAITING", kRight},
                    {"PROCESSING", kRight},
                    {"SUCCEEDED", kRight},
                    {"FAILED", kRight},
                    {"EXPIRED", kRight},
                    {"CANCELLED", kRight},
                    {"LIVE NODES", kRight}});
    jobs.add({std::to_string(totals.now.waiting), std::to_string(totals.now.processing),
              std::to_string(totals.now.succeeded), std::to_string(totals.now.failed),
              std::to_string(totals.now.expired), std::to_string(totals.now.cancelled),
              std::to_string(live)});
    out.write(jobs.text(out.colours()));
    out.line("in the last hour: " + std::to_string(totals.hour.enqueued) + " enqueued, " +
             std::to_string(totals.hour.succeeded) + " succeeded, " +
             std::to_string(totals.hour.failed) + " failed, " +
             std::to_string(totals.hour.retried) + " retried");
}

void write_stats(JsonWriter& json, const Totals& totals, std::int64_t live,
                 const std::vector<MinuteStat>& minutes) {
    json.begin_object()
        .key("jobs")
        .begin_object()
        .field("waiting", totals.now.waiting)
        .field("processing", totals.now.processing)
        .field("succeeded", totals.now.succeeded)
        .field("failed", totals.now.failed)
        .field("expired", totals.now.expired)
        .field("cancelled", totals.now.cancelled)
        .end_object()
        .field("live_nodes", live)
        .key("last_hour")
        .begin_object()
        .field("enqueued", totals.hour.enqueued)
        .field("succeeded", totals.hour.succeeded)
        .field("failed", totals.hour.failed)
        .field("retried", totals.hour.retried)
        .end_object()
        .key("minutes")
        .begin_array();
    for (const MinuteStat& minute : minutes) {
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
}

}  // namespace

int run_command(const NodesCommand&, Context& context) {
    StoreAccess access(context.config_file);
    access.bury_dead_nodes();
    const std::vector<Node> nodes = access.store().nodes();
    if (context.json) {
        JsonWriter json;
        json.begin_object().key("items").begin_array();
        for (const Node& node : nodes) write_node(json, node);
        json.end_array().key("next").null().end_object();
        context.out.document(json.text());
        return kDone;
    }
    using enum TextTable::Align;
    TextTable table({{"ID", kRight},
                     {"NAME"},
                     {"SERVICE"},
                     {"STATE"},
                     {"PID", kRight},
                     {"PROCESSING", kRight},
                     {"STARTED_AT"},
                     {"BEAT_AT"},
                     {"QUEUES"},
                     {"PLUGINS"},
                     {"DEATH"}});
    for (const Node& node : nodes) {
        const NodeRegistration& known = node.registration;
        table.add({std::to_string(node.id), known.name, known.service,
                   std::string(state_text(node.state)), std::to_string(known.pid),
                   std::to_string(node.processing), time_text(node.started_at),
                   time_text(node.beat_at), join(known.queues), join(known.plugins), node.death});
    }
    print_table(table, "no node has ever run here", context.out);
    return kDone;
}

int run_command(const StatsCommand&, Context& context) {
    StoreAccess access(context.config_file);
    access.bury_dead_nodes();
    Store& store = access.store();
    const auto minutes = store.minute_stats(store.now() - std::chrono::hours(1));
    const Totals totals = add_up(store.type_counts(), minutes);
    std::int64_t live = 0;
    for (const Node& node : store.nodes()) live += node.state == NodeState::kLive ? 1 : 0;
    if (!context.json) {
        print_stats(totals, live, context.out);
        return kDone;
    }
    JsonWriter json;
    write_stats(json, totals, live, minutes);
    context.out.document(json.text());
    return kDone;
}

}  // namespace jobhost::cli
