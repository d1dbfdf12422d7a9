#include "host/api/ask_nodes.h"
#include "host/api/pausing.h"
#include "host/api/places.h"
#include "host/api/request_error.h"
#include "host/http/api.h"
#include "host/http/parameters.h"
#include "host/text/json_writer.h"

namespace jobhost::http {
namespace {

using api::RequestError;

constexpr Duration kPatience = std::chrono::seconds(5);  // for a node's answer

Response list(Store& store, Pause::Kind kind) {
    return {.body = api::places_json(api::places(api::place_facts(store), kind))};
}

Response pause(Store& store, const config::Config& config, api::PauseWish wish,
               const Request& request) {
    BodyParameters body(request.body);
    wish.service = body.text("service");
    wish.by = acting_peer(request);
    body.end();
    return {.body = api::pause_json(wish, api::set_pause(store, config, wish))};
}

/// The live node to ask about a type: the one that was named, else the first that has it.
Node node_for(Store& store, const std::string& type, const std::string& named) {
    if (!named.empty()) return api::find_live_node(store, named);
    for (Node& node : store.nodes()) {
        if (node.state != NodeState::kLive) continue;
        for (const NodeType& one : node.registration.types) {
            if (one.name == type) return std::move(node);
        }
    }
    throw RequestError(RequestError::Kind::kNotFound,
                       "no live node has the type " + type + ": its policy is known to those only");
}

Response policy(StoreSessions& sessions, Store& store, const std::string& type,
                const Request& request) {
    QueryParameters query(request);
    const std::string queue = query.text("queue");
    const std::string named = query.text("node");
    query.end();
    const Node node = node_for(store, type, named);
    JsonWriter argument;
    argument.begin_object().field("type", type);
    if (!queue.empty()) argument.field("queue", queue);
    const api::Question question{.kind = NodeRequest::Kind::kExplain,
                                 .argument = argument.end_object().text(),
                                 .by = acting_peer(request)};
    const api::NodeAnswer answer =
        api::ask_nodes(sessions.handle(), store, {node}, question, kPatience).front();
    if (answer.errors.empty()) return {.body = answer.body};
    const std::string sentence = api::node_title(node) + ": " + answer.errors.front();
    return problem(answer.answered ? 404 : 503, sentence);
}

void add_places(Router& router, const ApiFacts& facts, Pause::Kind kind) {
    StoreSessions& sessions = facts.sessions;
    const std::string path = kind == Pause::Kind::kQueue ? "/queues" : "/types";
    add_api_route(router, "GET", path, [&sessions, kind](const Request&, const Places&) {
        return sessions.with([&](Store& store) { return list(store, kind); });
    });
    for (const bool pausing : {true, false}) {
        add_api_route(router, "POST", path + "/{name}/" + (pausing ? "pause" : "resume"),
                      [&sessions, &config = facts.config, kind, pausing](const Request& request,
                                                                         const Places& places) {
                          return sessions.with([&](Store& store) {
                              return pause(store, config,
                                           {.kind = kind, .pausing = pausing, .name = places.at(0)},
                                           request);
                          });
                      });
    }
}

}  // namespace

void add_place_routes(Router& router, const ApiFacts& facts) {
    StoreSessions& sessions = facts.sessions;
    add_places(router, facts, Pause::Kind::kQueue);
    add_places(router, facts, Pause::Kind::kType);
    add_api_route(router, "GET", "/types/{name}/policy",
                  [&sessions](const Request& request, const Places& places) {
                      return sessions.with([&](Store& store) {
                          return policy(sessions, store, places.at(0), request);
                      });
                  });
}

}  // namespace jobhost::http
