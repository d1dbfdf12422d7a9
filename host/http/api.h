#pragma once

#include <functional>
#include <string>

#include "config/config.h"
#include "host/http/router.h"
#include "host/http/store_sessions.h"

namespace jobhost::http {

/// What the routes of the API work with. All outlive the router.
struct ApiFacts {
    StoreSessions& sessions;
    const config::Config& config;  // as the host was started
    std::string node = {};         // this one's name
    std::string version = {};
};

/// Adds a route under /api/v1. `answer` may throw api::RequestError and StorageError, which become
/// problem details: 400, 404, 409; 503 when the store is away.
void add_api_route(Router& router, const std::string& method, const std::string& path,
                   Handler answer, RouteOptions options = {});

/// Who acts, for the record.
std::string acting_peer(const Request& request);

/// All routes under /api/v1 but those of the overview: openapi.json describes them.
void add_api(Router& router, const ApiFacts& facts);

// Its groups, each in a file of its own.
void add_job_routes(Router& router, const ApiFacts& facts);
void add_act_routes(Router& router, const ApiFacts& facts);
void add_enqueue_routes(Router& router, const ApiFacts& facts);
void add_place_routes(Router& router, const ApiFacts& facts);
void add_node_routes(Router& router, const ApiFacts& facts);
void add_dead_letter_routes(Router& router, const ApiFacts& facts);
void add_session_routes(Router& router, const ApiFacts& facts);

}  // namespace jobhost::http
