#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "config/config_loader.h"

namespace jobhost::config {

struct Expanded {
    std::string text = {};
    bool from_environment = false;  ///< a `${…}` was replaced, be it by its default
};

/// Replaces `${NAME}` and `${NAME:-default}` (the default also stands for an empty variable); `$${`
/// gives `${`, any other `$` is itself. What is put in is not looked at again. The error is a
/// sentence that names the variable.
tl::expected<Expanded, std::string> expand(std::string_view text,
                                           const EnvironmentLookup& environment);

}  // namespace jobhost::config
