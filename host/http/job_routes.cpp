#include <optional>

#include "host/api/filter_words.h"
#include "host/api/job_json.h"
#include "host/api/known_names.h"
#include "host/api/request_error.h"
#include "host/api/why.h"
#include "host/http/api.h"
#include "host/http/job_filter.h"
#include "host/text/json_writer.h"

namespace jobhost::http {
namespace {

constexpr std::int64_t kCountCap = 10'000;

Job find_or_refuse(Store& store, JobId id) {
    if (auto job = store.find_job(id)) return *std::move(job);
    throw api::RequestError(api::RequestError::Kind::kNotFound,
                            "there is no job " + std::to_string(id));
}

Response list(Store& store, const config::Config& config, const Request& request) {
    QueryParameters query(request);
    const api::FilterWords words = take_filter(query);
    const int limit = query.number("limit", 50, 1, 1000);
    const std::string after = query.text("after");
    query.end();
    const JobFilter filter = api::job_filter(words, store.now());
    const JobPage page = store.list_jobs(filter, limit, after);
    return {.body = api::jobs_json(page, api::unknown_names(words, store, config))};
}

Response count(Store& store, const Request& request) {
    QueryParameters query(request);
    const api::FilterWords words = take_filter(query);
    query.end();
    const std::int64_t count = store.count_jobs(api::job_filter(words, store.now()), kCountCap + 1);
    JsonWriter json;
    json.begin_object()
        .field("count", std::min(count, kCountCap))
        .field("is_capped", count > kCountCap)
        .end_object();
    return {.body = json.text()};
}

Response show(Store& store, JobId id, const Request& request) {
    QueryParameters query(request);
    const bool with_input = query.truth("input", true);
    query.end();
    const Job job = find_or_refuse(store, id);
    const auto runs = store.dead_letters(id, std::nullopt, api::kMostRunsShown, 0);
    return {.body = api::job_json(job, runs, with_input)};
}

/// As a file: no browser shows bytes of a job as a page.
Response input(Store& store, JobId id) {
    Response response{.body = find_or_refuse(store, id).input};
    response.headers.emplace_back("Content-Disposition",
                                  "attachment; filename=\"job-" + std::to_string(id) + ".json\"");
    return response;
}

Response why(Store& store, JobId id) {
    const auto facts = api::why_facts(store, id);
    if (!facts) find_or_refuse(store, id);
    return {.body = api::why_json(facts->job, api::explain_why(*facts))};
}

}  // namespace

void add_job_routes(Router& router, const ApiFacts& facts) {
    StoreSessions& sessions = facts.sessions;
    add_api_route(
        router, "GET", "/jobs",
        [&sessions, &config = facts.config](const Request& request, const Places&) {
            return sessions.with([&](Store& store) { return list(store, config, request); });
        });
    add_api_route(router, "GET", "/jobs/count", [&sessions](const Request& request, const Places&) {
        return sessions.with([&](Store& store) { return count(store, request); });
    });
    add_api_route(router, "GET", "/jobs/{id}",
                  [&sessions](const Request& request, const Places& places) {
                      const JobId id = api::parse_id(places.at(0));
                      return sessions.with([&](Store& store) { return show(store, id, request); });
                  });
    add_api_route(router, "GET", "/jobs/{id}/input",
                  [&sessions](const Request&, const Places& places) {
                      const JobId id = api::parse_id(places.at(0));
                      return sessions.with([&](Store& store) { return input(store, id); });
                  });
    add_api_route(router, "GET", "/jobs/{id}/why",
                  [&sessions](const Request&, const Places& places) {
                      const JobId id = api::parse_id(places.at(0));
                      return sessions.with([&](Store& store) { return why(store, id); });
                  });
}

}  // namespace jobhost::http
