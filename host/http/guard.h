#pragma once

#include <memory>
#include <optional>
#include <string>

#include "host/http/logins.h"
#include "host/http/message.h"

namespace jobhost::http {

/// Who may ask for a route.
enum class Access {
    kOpen,   // everybody: health checks, the pages without their data
    kToken,  // whoever has the token, where one is configured
};

struct GuardOptions {
    std::optional<std::string> token = {};  // nullopt: nobody is asked for one
    /// A proxy in front knows who comes in, and under which name people know this host.
    bool behind_proxy = false;
};

/// Lets in whoever has the token: as a bearer, or by the cookie of a login. Keeps other people's
/// pages out: what changes something must come from a page of this host, or from no page at all.
/// Thread-safe.
class Guard {
public:
    explicit Guard(GuardOptions options)
        : options_(std::move(options)), logins_(std::make_shared<Logins>()) {}

    /// nullopt: come in.
    std::optional<Response> refuse(const Request& request, Access access) const;

    bool wants_token() const { return options_.token.has_value(); }
    bool is_logged_in(const Request& request) const;

    /// The answer to a login: 204 with the cookie, 401 or 429.
    Response log_in(const Request& request, const std::string& token) const;
    Response log_out(const Request& request) const;

private:
    std::optional<Response> refuse_page(const Request& request) const;
    std::optional<Response> refuse_stranger(const Request& request) const;
    bool is_own_origin(const Request& request) const;
    Response wrong_token(const Request& request) const;

    GuardOptions options_;
    std::shared_ptr<Logins> logins_;
};

/// Takes as long for a wrong text as for the right one of the same length.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace jobhost::http
