#pragma once

#include <set>
#include <string>

#include "config/config.h"
#include "host/cli/command_line.h"
#include "storage/store.h"

namespace jobhost::cli {

/// Names that are no slip: what the configuration or a node names, or what jobs ran under.
struct KnownNames {
    std::set<std::string> types = {};
    std::set<std::string> queues = {};
};
KnownNames known_names(Store& store, const config::Config& config);

/// A filter that names what nobody knows finds nothing, most likely because of a slip: says so on
/// standard error, with the nearest known name.
void warn_of_unknown_names(const FilterWords& filter, Store& store, const config::Config& config);

}  // namespace jobhost::cli
