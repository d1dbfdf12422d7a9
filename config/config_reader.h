#pragma once

#include "config/config.h"
#include "config/map_reader.h"

namespace jobhost::config {

/// Reads the whole file. What is wrong goes to the reader's context; the answer then has defaults
/// in place of it.
Config read_config(MapReader& root);

}  // namespace jobhost::config
