#include "host/api/known_names.h"

#include <algorithm>

#include "config/suggestion.h"

namespace jobhost::api {
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

std::vector<std::string> unknown_names(const FilterWords& filter, Store& store,
                                       const config::Config& config) {
    std::vector<std::string> sentences;
    if (filter.type.empty() && filter.queue.empty()) return sentences;
    const KnownNames known = known_names(store, config);
    const std::vector<TypeCounts> counts = store.type_counts();
    const auto warn = [&](const char* what, const std::string& name,
                          const std::set<std::string>& names, std::string TypeCounts::*member) {
        if (name.empty() || names.contains(name)) return;
        if (std::ranges::find(counts, name, member) != counts.end()) return;
        sentences.push_back("no job, no node and no configuration names the " + std::string(what) +
                            ' ' + name + config::did_you_mean(name, names));
    };
    warn("type", filter.type, known.types, &TypeCounts::type);
    warn("queue", filter.queue, known.queues, &TypeCounts::queue);
    return sentences;
}

}  // namespace jobhost::api
