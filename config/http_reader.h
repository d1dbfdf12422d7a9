#pragma once

#include "config/config.h"
#include "config/map_reader.h"

namespace jobhost::config {

/// `http:`: where to listen, and who may come in. Anything but loopback needs a token, or a proxy
/// in front that is told of.
void read_http(MapReader& map, HttpConfig& into);

}  // namespace jobhost::config
