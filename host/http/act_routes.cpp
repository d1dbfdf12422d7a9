#include <utility>

#include "host/api/act.h"
#include "host/api/filter_words.h"
#include "host/api/request_error.h"
#include "host/http/api.h"
#include "host/http/job_filter.h"
#include "host/text/json_writer.h"

namespace jobhost::http {
namespace {

using api::Act;
using api::RequestError;
using Outcome = ControlAnswer::Outcome;

/// Of one request: so that none holds a thread for long, and a stop is not kept waiting.
constexpr std::int64_t kMostActs = 10'000;
constexpr std::size_t kMostShown = 1'000;

/// One job; what cannot be done is an error.
Response act_on_one(Store& store, Act act, JobId id, const Request& request) {
    BodyParameters body(request.body);
    const bool fresh = act == Act::kRequeue && body.truth("fresh");
    body.end();
    JsonWriter json;
    api::JobActs acts(store, {.act = act, .fresh = fresh, .by = acting_peer(request)},
                      [&](const api::ActItem& item) {
                          if (item.answer.outcome == Outcome::kNotFound) {
                              throw RequestError(RequestError::Kind::kNotFound,
                                                 "there is no job " + std::to_string(id));
                          }
                          if (item.answer.outcome == Outcome::kRefused) {
                              throw RequestError(RequestError::Kind::kRefused, item.answer.reason);
                          }
                          api::write_act_item(json, act, item);
                      });
    acts.by_ids({id});
    return {.body = json.text()};
}

struct ManyWish {
    api::ActWish wish = {};
    std::vector<JobId> ids = {};
    api::FilterWords filter = {};
};

ManyWish read_wish(Act act, const Request& request) {
    BodyParameters body(request.body);
    ManyWish many;
    many.wish = {.act = act, .by = acting_peer(request), .at_most = kMostActs};
    many.wish.dry_run = body.truth("dry_run");
    if (act == Act::kRequeue) many.wish.fresh = body.truth("fresh");
    many.wish.after = body.text("after");
    const auto ids = body.texts("ids").value_or(std::vector<std::string>());
    const auto filter = body.json("filter");
    body.end();
    for (const std::string& id : ids) many.ids.push_back(api::parse_id(id));
    if (filter) {
        BodyParameters words(*filter, "filter");
        many.filter = take_filter(words);
        words.end();
    }
    const bool filtered = !api::job_filter(many.filter, {}).empty();
    if (many.ids.empty() && !filtered) {
        throw RequestError(RequestError::Kind::kBad,
                           "which jobs? Give ids, or a filter that names at least one thing");
    }
    if (!many.ids.empty() && filtered) {
        throw RequestError(RequestError::Kind::kBad, "give ids or a filter, not both");
    }
    if (std::ssize(many.ids) > kMostActs) {
        throw RequestError(RequestError::Kind::kBad, "at most 10000 ids in one request");
    }
    return many;
}

Response act_on_many(Store& store, Act act, const Request& request) {
    const ManyWish many = read_wish(act, request);
    JsonWriter json;
    json.begin_object().key("items").begin_array();
    std::size_t shown = 0;
    api::JobActs acts(store, many.wish, [&](const api::ActItem& item) {
        if (++shown <= kMostShown) api::write_act_item(json, act, item);
    });
    if (many.ids.empty()) {
        acts.by_filter(api::job_filter(many.filter, store.now()));
    } else {
        acts.by_ids(many.ids);
    }
    json.end_array().text_or_null("next", acts.counts().next);
    api::write_act_counts(json, many.wish.dry_run, acts.counts());
    json.field("more", !acts.counts().next.empty()).end_object();
    return {.body = json.text()};
}

void add_act(Router& router, StoreSessions& sessions, Act act) {
    const std::string verb = api::verb_of(act);
    add_api_route(
        router, "POST", "/jobs/" + verb,
        [&sessions, act](const Request& request, const Places&) {
            return sessions.with([&](Store& store) { return act_on_many(store, act, request); });
        },
        {.body_bytes = 512 * 1024});
    const bool is_delete = act == Act::kDelete;
    add_api_route(
        router, is_delete ? "DELETE" : "POST", is_delete ? "/jobs/{id}" : "/jobs/{id}/" + verb,
        [&sessions, act](const Request& request, const Places& places) {
            const JobId id = api::parse_id(places.at(0));
            return sessions.with([&](Store& store) { return act_on_one(store, act, id, request); });
        });
}

}  // namespace

void add_act_routes(Router& router, const ApiFacts& facts) {
    for (const Act act : {Act::kRequeue, Act::kCancel, Act::kDelete}) {
        add_act(router, facts.sessions, act);
    }
}

}  // namespace jobhost::http
