#include <string>
#include <vector>

#include "host/api/node_json.h"
#include "host/api/stats.h"
#include "host/cli/commands.h"
#include "host/cli/exit_status.h"
#include "host/cli/store_access.h"
#include "host/cli/text_table.h"
#include "host/text/time_text.h"

namespace jobhost::cli {
namespace {

std::string join(const std::vector<std::string>& texts) {
    std::string joined;
    for (const std::string& text : texts) joined += (joined.empty() ? "" : ", ") + text;
    return joined;
}

void print_stats(const api::Stats& stats, Output& out) {
    using enum TextTable::Align;
    TextTable jobs({{"WAITING", kRight},
                    {"PROCESSING", kRight},
                    {"SUCCEEDED", kRight},
                    {"FAILED", kRight},
                    {"EXPIRED", kRight},
                    {"CANCELLED", kRight},
                    {"LIVE NODES", kRight}});
    jobs.add({std::to_string(stats.now.waiting), std::to_string(stats.now.processing),
              std::to_string(stats.now.succeeded), std::to_string(stats.now.failed),
              std::to_string(stats.now.expired), std::to_string(stats.now.cancelled),
              std::to_string(stats.live_nodes)});
    out.write(jobs.text(out.colours()));
    out.line("in the last hour: " + std::to_string(stats.hour.enqueued) + " enqueued, " +
             std::to_string(stats.hour.succeeded) + " succeeded, " +
             std::to_string(stats.hour.failed) + " failed, " + std::to_string(stats.hour.retried) +
             " retried");
}

}  // namespace

int run_command(const NodesCommand&, Context& context) {
    StoreAccess access(context.config_file);
    access.bury_dead_nodes();
    const std::vector<Node> nodes = access.store().nodes();
    if (context.json) {
        context.out.document(api::nodes_json(nodes));
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
                   std::string(api::state_text(node.state)), std::to_string(known.pid),
                   std::to_string(node.processing), time_text(node.started_at),
                   time_text(node.beat_at), join(known.queues), join(known.plugins), node.death});
    }
    print_table(table, "no node has ever run here", context.out);
    return kDone;
}

int run_command(const StatsCommand&, Context& context) {
    StoreAccess access(context.config_file);
    access.bury_dead_nodes();
    const api::Stats stats = api::stats(access.store());
    if (context.json) {
        context.out.document(api::stats_json(stats));
    } else {
        print_stats(stats, context.out);
    }
    return kDone;
}

}  // namespace jobhost::cli
