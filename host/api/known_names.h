#pragma once

#include <set>
#include <string>
#include <vector>

#include "config/config.h"
#include "host/api/filter_words.h"
#include "storage/store.h"

namespace jobhost::api {

/// Names that are no slip: what the configuration or a node names, or what jobs ran under.
struct KnownNames {
    std::set<std::string> types = {};
    std::set<std::string> queues = {};
};
KnownNames known_names(Store& store, const config::Config& config);

/// A filter that names what nobody knows finds nothing, most likely because of a slip: sentences
/// that say so, with the nearest known name.
std::vector<std::string> unknown_names(const FilterWords& filter, Store& store,
                                       const config::Config& config);

}  // namespace jobhost::api
