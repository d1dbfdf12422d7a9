#pragma once

#include "config/config.h"
#include "config/map_reader.h"

namespace jobhost::config {

/// Reads `plugins`. No file is opened, none need exist.
void read_plugins(MapReader& map, PluginsConfig& into);

}  // namespace jobhost::config
