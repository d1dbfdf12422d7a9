#pragma once

#include <optional>
#include <string_view>

#include "host/http/message.h"

namespace jobhost::http {

/// Fills path and query of a request from its target, `/a/b?x=1&y=%20`. False: it is no absolute
/// path, or an escape in it is broken.
bool read_target(std::string_view target, Request& into);

}  // namespace jobhost::http
