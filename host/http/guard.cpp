#include "host/http/guard.h"

#include <strings.h>

namespace jobhost::http {
namespace {

/// The token of `Bearer TOKEN`; empty when there is none.
std::string_view bearer_token(const std::string& authorization) {
    constexpr std::string_view kScheme = "Bearer ";
    std::string_view text = authorization;
    if (text.size() < kScheme.size() ||
        ::strncasecmp(text.data(), kScheme.data(), kScheme.size()) != 0) {
        return {};
    }
    text.remove_prefix(kScheme.size());
    return text;
}

}  // namespace

bool equal_in_constant_time(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    unsigned char difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference = static_cast<unsigned char>(
            difference | (static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i])));
    }
    // Read through a volatile, so that no compiler ends the loop early.
    const volatile unsigned char all = difference;
    return all == 0;
}

std::optional<Response> Guard::refuse(const Request& request, Access access) const {
    if (access == Access::kOpen || !token_) return std::nullopt;
    if (equal_in_constant_time(bearer_token(request.authorization), *token_)) return std::nullopt;
    Response response =
        problem(401, request.authorization.empty() ? "send the header Authorization: Bearer TOKEN"
                                                   : "the token is wrong");
    response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"jobhost\"");
    return response;
}

}  // namespace jobhost::http
