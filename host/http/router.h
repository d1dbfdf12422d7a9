#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/http/guard.h"
#include "host/http/message.h"

namespace jobhost::http {

/// What stood in the places of a route's pattern, in their order.
using Places = std::vector<std::string>;
using Handler = std::function<Response(const Request&, const Places&)>;

struct RouteOptions {
    std::size_t body_bytes = 64 * 1024;  // the longest body
    /// Answered by the thread that reads, at once: for what waits for nothing.
    bool is_instant = false;
};

/// A way in, found for the head of a request. Lives as long as its router.
struct Admission {
    std::optional<Response> refusal = {};  // set: answer this, the body is not wanted
    RouteOptions options = {};
    const Handler* handler = nullptr;
    Places places = {};
};

/// Which code answers which request. Filled before the server starts, read by its threads.
class Router {
public:
    explicit Router(Guard guard) : guard_(std::move(guard)) {}

    /// `pattern`: `/api/v1/jobs/{id}`; each `{…}` is one part of the path. A GET route answers HEAD
    /// too.
    void add(std::string method, const std::string& pattern, Access access, Handler handler,
             RouteOptions options = {});

    /// What the head alone decides.
    Admission admit(const Request& head) const;

    /// Never throws: what a handler throws is status 500, and goes to `failed`.
    Response answer(const Admission& admission, const Request& request) const noexcept;
    Response answer(const Request& request) const noexcept;

    /// Told of what a handler threw.
    std::function<void(const std::string& sentence)> failed = {};

    const Guard& guard() const { return guard_; }

    /// `METHOD PATTERN` of each route, in the order in which they were added.
    std::vector<std::string> routes() const;

private:
    struct Route {
        std::string method = {};
        std::string pattern = {};
        std::vector<std::string> parts = {};
        Access access = Access::kToken;
        Handler handler = {};
        RouteOptions options = {};
    };

    const Guard guard_;
    std::vector<Route> routes_ = {};
};

}  // namespace jobhost::http
