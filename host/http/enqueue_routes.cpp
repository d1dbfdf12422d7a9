#include <span>
#include <utility>

#include "host/api/enqueue_answer.h"
#include "host/api/new_job_json.h"
#include "host/api/request_error.h"
#include "host/http/api.h"
#include "host/text/json_writer.h"
#include "storage/enqueue_rules.h"

namespace jobhost::http {
namespace {

using api::RequestError;

constexpr const char* kSource = "http";
constexpr std::size_t kOptionBytes = 64 * 1024;  // of a job, beside its input
constexpr std::size_t kBulkBytes = 16 * 1024 * 1024;

/// `place`: before the sentence, for one of many jobs.
[[noreturn]] void refuse(const EnqueueRefusal& refusal, const std::string& place) {
    throw RequestError(
        refusal.existing == 0 ? RequestError::Kind::kBad : RequestError::Kind::kRefused,
        "nothing was stored: " + place + api::refusal_text(refusal));
}

Response stored(std::string body) {
    return {.status = 201, .body = std::move(body)};
}

Response enqueue_one(Store& store, const config::Config& config, const Request& request) {
    const auto job = api::parse_new_job(request.body, kSource);
    if (!job) {
        throw RequestError(RequestError::Kind::kBad, "nothing was stored: " + job.error());
    }
    const EnqueueResult result = store.enqueue(std::span(&*job, 1));
    if (const auto* refusal = std::get_if<EnqueueRefusal>(&result)) refuse(*refusal, "");
    const Enqueued& done = std::get<std::vector<Enqueued>>(result).front();
    JsonWriter json;
    api::write_enqueued(json, done, api::EnqueueWarnings(store, config).of(*job, done));
    if (done.duplicate) return {.body = json.text()};
    Response response = stored(json.text());
    response.headers.emplace_back("Location", "/api/v1/jobs/" + std::to_string(done.id));
    return response;
}

Response enqueue_many(Store& store, const config::Config& config, const Request& request) {
    const bool is_lines = request.content_type.starts_with("application/x-ndjson");
    const auto bulk = is_lines ? api::parse_bulk(request.body, kSource)
                               : api::parse_bulk_array(request.body, kSource);
    if (!bulk) {
        throw RequestError(RequestError::Kind::kBad, "nothing was stored: " + bulk.error());
    }
    const EnqueueResult result = store.enqueue(bulk->jobs);
    if (const auto* refusal = std::get_if<EnqueueRefusal>(&result)) {
        const std::string place = std::to_string(bulk->lines.at(refusal->index)) + ": ";
        refuse(*refusal, (is_lines ? "line " : "/jobs/") + place);
    }
    const auto& all = std::get<std::vector<Enqueued>>(result);
    api::EnqueueWarnings warnings(store, config);
    JsonWriter json;
    json.begin_object().key("items").begin_array();
    for (std::size_t i = 0; i < all.size(); ++i) {
        api::write_enqueued(json, all[i], warnings.of(bulk->jobs[i], all[i]));
    }
    json.end_array().key("next").null().end_object();
    return stored(json.text());
}

}  // namespace

void add_enqueue_routes(Router& router, const ApiFacts& facts) {
    StoreSessions& sessions = facts.sessions;
    const config::Config& config = facts.config;
    const auto input_bytes = static_cast<std::size_t>(config.limits.max_input_bytes);
    add_api_route(
        router, "POST", "/jobs",
        [&sessions, &config](const Request& request, const Places&) {
            return sessions.with([&](Store& store) { return enqueue_one(store, config, request); });
        },
        {.body_bytes = input_bytes + kOptionBytes});
    add_api_route(router, "POST", "/jobs/bulk",
                  [&sessions, &config](const Request& request, const Places&) {
                      return sessions.with(
                          [&](Store& store) { return enqueue_many(store, config, request); });
                  },
                  {.body_bytes = std::max(kBulkBytes, input_bytes + kOptionBytes)});
}

}  // namespace jobhost::http
