#include "host/cli/known_names.h"

#include <algorithm>

#include "config/suggestion.h"
#include "host/cli/output.h"

namespace jobhost::cli {
namespace {

bool ran(const TypeCounts& counts) {
    return counts.processing + counts.succeeded + counts.failed > 0;
}

}  // namespace

KnownNames known_names(Store& store, const config::Config& config) {
    KnownNames known;
    for (const config::QueueConfig& queue : config.queues) known.queues.insert(queue.name);
    for (const auto& [type, job] : config.jobs) known.types.insert(type);
    for (const Node& node : store.nodes()) {
        for (const NodeType& type : node.registration.types) known.types.insert(type.name);
        known.queues.insert(node.registration.queues.begin(), node.registration.queues.end());
    }
    for (const TypeCounts& counts : store.type_counts()) {
        if (!ran(counts)) continue;
        known.types.insert(counts.type);
        known.queues.insert(counts.queue);
    }
    return known;
}

void warn_of_unknown_names(const FilterWords& filter, Store& store, const config::Config& config) {
    if (filter.type.empty() && filter.queue.empty()) return;
    const KnownNames known = known_names(store, config);
    const std::vector<TypeCounts> counts = store.type_counts();
    const auto warn = [&](const char* what, const std::string& name,
                          const std::set<std::string>& names, std::string TypeCounts::*member) {
        if (name.empty() || names.contains(name)) return;
        if (std::ranges::find(counts, name, member) != counts.end()) return;
        complain("warning: no job, no node and no configuration names the " + std::string(what) +
                 ' ' + name + config::did_you_mean(name, names));
    };
    warn("type", filter.type, known.types, &TypeCounts::type);
    warn("queue", filter.queue, known.queues, &TypeCounts::queue);
}

}  // namespace jobhost::cli
