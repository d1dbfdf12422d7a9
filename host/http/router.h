#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/http/guard.h"
#include "host/http/message.h"

namespace jobhost::http {

/// What stood in the places of a route's pattern, in their order.
using Places = std::vector<std::string>;
using Handler = std::function<Response(const Request&, const Places&)>;

/// Which code answers which request. Filled before the server starts, read by its threads.
class Router {
public:
    explicit Router(Guard guard) : guard_(std::move(guard)) {}

    /// `pattern`: `/api/v1/jobs/{id}`; each `{…}` is one part of the path. A GET route answers HEAD
    /// too.
    void add(std::string method, const std::string& pattern, Access access, Handler handler);

    /// Never throws: what a handler throws is status 500, and goes to `failed`.
    Response answer(const Request& request) const noexcept;

    /// Told of what a handler threw.
    std::function<void(const std::string& sentence)> failed = {};

private:
    struct Route {
        std::string method = {};
        std::vector<std::string> parts = {};
        Access access = Access::kToken;
        Handler handler = {};
    };

    Response find_and_answer(const Request& request) const;

    const Guard guard_;
    std::vector<Route> routes_ = {};
};

}  // namespace jobhost::http
