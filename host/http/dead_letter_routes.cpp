#include "host/api/dead_letters.h"
#include "host/api/filter_words.h"
#include "host/api/job_json.h"
#include "host/http/api.h"
#include "host/http/parameters.h"

namespace jobhost::http {
namespace {

Response list(Store& store, const Request& request) {
    QueryParameters query(request);
    const std::string job = query.text("job");
    const auto state = api::parse_dead_letter_state(query.text("state"));
    const int limit = query.number("limit", 50, 1, 1000);
    const std::int64_t after = api::parse_run_place(query.text("after"));
    query.end();
    const auto [runs, next] =
        api::dead_letter_page(store, job.empty() ? 0 : api::parse_id(job), state, limit, after);
    return {.body = api::dead_letters_json(runs, next)};
}

Response rerun(Store& store, std::int64_t run, const Request& request) {
    BodyParameters body(request.body);
    const bool force = body.truth("force");
    body.end();
    return {.status = 201, .body = api::rerun_json(run, api::rerun(store, run, force))};
}

}  // namespace

void add_dead_letter_routes(Router& router, const ApiFacts& facts) {
    StoreSessions& sessions = facts.sessions;
    add_api_route(router, "GET", "/deadletter", [&sessions](const Request& request, const Places&) {
        return sessions.with([&](Store& store) { return list(store, request); });
    });
    add_api_route(
        router, "POST", "/deadletter/{id}/rerun",
        [&sessions](const Request& request, const Places& places) {
            const std::int64_t run = api::parse_id(places.at(0));
            return sessions.with([&](Store& store) { return rerun(store, run, request); });
        });
}

}  // namespace jobhost::http
