#pragma once

#include <optional>
#include <string>

#include "host/http/message.h"

namespace jobhost::http {

/// Who may ask for a route.
enum class Access {
    kOpen,   // everybody: health checks
    kToken,  // whoever has the token, where one is configured
};

/// Asks for the token. Thread-safe.
class Guard {
public:
    explicit Guard(std::optional<std::string> token) : token_(std::move(token)) {}

    /// nullopt: come in.
    std::optional<Response> refuse(const Request& request, Access access) const;

private:
    const std::optional<std::string> token_;
};

/// Takes as long for a wrong text as for the right one of the same length.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace jobhost::http
