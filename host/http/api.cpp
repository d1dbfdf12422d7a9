#include "host/http/api.h"

#include <utility>

#include "host/api/request_error.h"
#include "storage/storage_error.h"

namespace jobhost::http {
namespace {

int status_of(api::RequestError::Kind kind) {
    switch (kind) {
        case api::RequestError::Kind::kBad: return 400;
        case api::RequestError::Kind::kNotFound: return 404;
        case api::RequestError::Kind::kRefused: return 409;
    }
    return 400;
}

Response storage_problem(const StorageError& error) {
    // A place in a list that none gave.
    if (error.kind() == StorageError::Kind::kMisused) return problem(400, error.what());
    std::string sentence = error.what();
    if (error.kind() == StorageError::Kind::kUnknownOutcome) {
        sentence += "; outcome unknown: look before you repeat it";
    }
    return problem(503, sentence);
}

/// Bodies of forms, which any page may send anywhere, are not taken.
bool has_known_body(const Request& request) {
    if (request.body.empty()) return true;
    const std::string type = request.content_type.substr(0, request.content_type.find(';'));
    return type == "application/json" || type == "application/x-ndjson";
}

}  // namespace

void add_api_route(Router& router, const std::string& method, const std::string& path,
                   Handler answer, RouteOptions options) {
    router.add(
        method, "/api/v1" + path, Access::kToken,
        [answer = std::move(answer)](const Request& request, const Places& places) {
            if (!has_known_body(request)) {
                return problem(415, "send the body with Content-Type: application/json");
            }
            try {
                return answer(request, places);
            } catch (const api::RequestError& error) {
                return problem(status_of(error.kind()), error.what());
            } catch (const StorageError& error) {
                return storage_problem(error);
            }
        },
        options);
}

void add_api(Router& router, const ApiFacts& facts) {
    add_session_routes(router, facts);
    add_enqueue_routes(router, facts);
    // Before those of single jobs, whose patterns would take `count` and the acts for ids.
    add_act_routes(router, facts);
    add_job_routes(router, facts);
    add_place_routes(router, facts);
    add_node_routes(router, facts);
    add_dead_letter_routes(router, facts);
}

std::string acting_peer(const Request& request) {
    return "http " + request.peer;
}

}  // namespace jobhost::http
