#include "host/http/guard.h"

#include <algorithm>
#include <cctype>
#include <strings.h>

namespace jobhost::http {
namespace {

constexpr std::string_view kCookie = "jobhost_session";

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

/// The session of a `Cookie` header, `a=1; jobhost_session=...`; empty when there is none.
std::string_view session_of(std::string_view cookie) {
    while (!cookie.empty()) {
        const std::size_t end = std::min(cookie.find(';'), cookie.size());
        std::string_view part = cookie.substr(0, end);
        cookie.remove_prefix(std::min(end + 1, cookie.size()));
        while (part.starts_with(' ')) part.remove_prefix(1);
        if (part.starts_with(kCookie) && part.substr(kCookie.size()).starts_with('=')) {
            return part.substr(kCookie.size() + 1);
        }
    }
    return {};
}

std::string lower(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

/// `host:port` of an origin, `https://host:port`.
std::string authority_of(std::string_view origin) {
    const std::size_t scheme = origin.find("://");
    return scheme == std::string_view::npos ? "" : lower(origin.substr(scheme + 3));
}

/// Whether the name in a `Host` header can only mean this machine. A page elsewhere can make its
/// own name mean 127.0.0.1, but cannot make its browser send another one.
bool is_this_machine(std::string_view host) {
    const std::string name = lower(host.substr(
        0, host.starts_with('[') ? std::min(host.find(']'), host.size() - 1) + 1 : host.find(':')));
    return name == "localhost" || name == "[::1]" || name.ends_with(".localhost") ||
           (name.starts_with("127.") &&
            std::ranges::all_of(name, [](char c) { return c == '.' || (c >= '0' && c <= '9'); }));
}

std::string cookie_text(const std::string& session, const std::string& rest, bool behind_proxy) {
    return std::string(kCookie) + '=' + session + "; Path=/; HttpOnly; SameSite=Strict" + rest +
           (behind_proxy ? "; Secure" : "");
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
    if (access == Access::kOpen && !request.changes_something()) return std::nullopt;
    if (auto refusal = refuse_page(request)) return refusal;
    if (access == Access::kOpen) return std::nullopt;
    return refuse_stranger(request);
}

std::optional<Response> Guard::refuse_page(const Request& request) const {
    if (request.changes_something() && !is_own_origin(request)) {
        return problem(403, "a page of another origin must not change anything here");
    }
    if (wants_token() || options_.behind_proxy || is_this_machine(request.host)) {
        return std::nullopt;
    }
    return problem(403,
                   "without http.token_file this host answers under 127.0.0.1, [::1] and "
                   "localhost only, not under the name " +
                       request.host.substr(0, 255));
}

bool Guard::is_own_origin(const Request& request) const {
    if (!request.origin.empty()) {
        const std::string from = authority_of(request.origin);
        if (from.empty()) return false;
        if (from == lower(request.host)) return true;
        return options_.behind_proxy && from == lower(request.forwarded_host);
    }
    if (!request.fetch_site.empty()) {
        return request.fetch_site == "same-origin" || request.fetch_site == "none";
    }
    // No browser: it would have said one of them. A cookie without either proves nothing.
    return session_of(request.cookie).empty();
}

std::optional<Response> Guard::refuse_stranger(const Request& request) const {
    if (!wants_token() || is_logged_in(request)) return std::nullopt;
    if (request.authorization.empty()) {
        Response response = problem(401, "log in, or send the header Authorization: Bearer TOKEN");
        response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"jobhost\"");
        return response;
    }
    const auto now = std::chrono::steady_clock::now();
    if (logins_->is_blocked(request.peer, now)) return wrong_token(request);
    if (equal_in_constant_time(bearer_token(request.authorization), *options_.token)) {
        return std::nullopt;
    }
    return wrong_token(request);
}

bool Guard::is_logged_in(const Request& request) const {
    if (!wants_token()) return true;
    const std::string_view session = session_of(request.cookie);
    return !session.empty() && logins_->is_valid(session, std::chrono::steady_clock::now());
}

Response Guard::wrong_token(const Request& request) const {
    const auto now = std::chrono::steady_clock::now();
    if (logins_->is_blocked(request.peer, now)) {
        Response response = problem(429, "too many wrong tokens: wait a minute");
        response.headers.emplace_back("Retry-After", "60");
        return response;
    }
    logins_->note_failure(request.peer, now);
    Response response = problem(401, "the token is wrong");
    response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"jobhost\"");
    return response;
}

Response Guard::log_in(const Request& request, const std::string& token) const {
    const auto now = std::chrono::steady_clock::now();
    const bool is_right = !wants_token() || (!logins_->is_blocked(request.peer, now) &&
                                             equal_in_constant_time(token, *options_.token));
    if (!is_right) return wrong_token(request);
    const auto lifetime = std::chrono::seconds(Logins::kLifetime).count();
    Response response{.status = 204};
    response.headers.emplace_back(
        "Set-Cookie", cookie_text(logins_->begin(now), "; Max-Age=" + std::to_string(lifetime),
                                  options_.behind_proxy));
    return response;
}

Response Guard::log_out(const Request& request) const {
    logins_->end(session_of(request.cookie));
    Response response{.status = 204};
    response.headers.emplace_back("Set-Cookie",
                                  cookie_text("", "; Max-Age=0", options_.behind_proxy));
    return response;
}

}  // namespace jobhost::http
