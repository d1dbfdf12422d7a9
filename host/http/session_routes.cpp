#include "host/api/request_error.h"
#include "host/http/api.h"
#include "host/http/parameters.h"
#include "host/text/json_writer.h"

namespace jobhost::http {
namespace {

constexpr const char* kPath = "/api/v1/session";

Response tell(const Guard& guard, const ApiFacts& facts, const Request& request) {
    const bool logged_in = guard.is_logged_in(request);
    JsonWriter json;
    json.begin_object().field("login_needed", guard.wants_token()).field("logged_in", logged_in);
    // Whoever has not logged in needs to know no more than that.
    if (logged_in) {
        json.field("service", facts.config.service)
            .field("node", facts.node)
            .field("version", facts.version);
    }
    return {.body = json.end_object().text()};
}

Response log_in(const Guard& guard, const Request& request) {
    std::string token;
    try {
        BodyParameters body(request.body);
        token = body.text("token");
        body.end();
    } catch (const api::RequestError& error) {
        return problem(400, error.what());
    }
    return guard.log_in(request, token);
}

}  // namespace

void add_session_routes(Router& router, const ApiFacts& facts) {
    const Guard& guard = router.guard();
    router.add("GET", kPath, Access::kOpen, [&guard, facts](const Request& request, const Places&) {
        return tell(guard, facts, request);
    });
    router.add("POST", kPath, Access::kOpen,
               [&guard](const Request& request, const Places&) { return log_in(guard, request); });
    router.add("DELETE", kPath, Access::kOpen,
               [&guard](const Request& request, const Places&) { return guard.log_out(request); });
}

}  // namespace jobhost::http
