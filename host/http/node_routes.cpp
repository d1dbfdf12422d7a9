#include "host/api/ask_nodes.h"
#include "host/api/failure_json.h"
#include "host/api/node_json.h"
#include "host/api/stats.h"
#include "host/http/api.h"
#include "host/http/parameters.h"

namespace jobhost::http {
namespace {

constexpr int kFailuresLookedAt = 10'000;
constexpr Duration kMostWait = std::chrono::seconds(30);  // for the answers of nodes

Response reload(StoreSessions& sessions, Store& store, const std::string& own_service,
                const Request& request) {
    BodyParameters body(request.body);
    const std::string node = body.text("node");
    const std::string service = body.text("service");
    const std::string wait = body.text("wait");
    body.end();
    const Duration at_most = api::wait_time(wait.empty() ? "10s" : wait);
    const std::vector<Node> nodes =
        node.empty() ? api::live_nodes_of(store, service.empty() ? own_service : service)
                     : std::vector<Node>{api::find_live_node(store, node)};
    const api::Question question{.kind = NodeRequest::Kind::kReload, .by = acting_peer(request)};
    return {.body = api::reload_json(api::ask_nodes(sessions.handle(), store, nodes, question,
                                                    std::min<Duration>(at_most, kMostWait)))};
}

}  // namespace

void add_node_routes(Router& router, const ApiFacts& facts) {
    StoreSessions& sessions = facts.sessions;
    add_api_route(router, "GET", "/nodes", [&sessions](const Request&, const Places&) {
        return sessions.with(
            [](Store& store) { return Response{.body = api::nodes_json(store.nodes())}; });
    });
    add_api_route(router, "GET", "/stats", [&sessions](const Request&, const Places&) {
        return sessions.with(
            [](Store& store) { return Response{.body = api::stats_json(api::stats(store))}; });
    });
    add_api_route(router, "GET", "/failures", [&sessions](const Request&, const Places&) {
        return sessions.with([](Store& store) {
            return Response{.body = api::failures_json(store.failure_groups(kFailuresLookedAt))};
        });
    });
    add_api_route(
        router, "POST", "/reload",
        [&sessions, service = facts.config.service](const Request& request, const Places&) {
            return sessions.with(
                [&](Store& store) { return reload(sessions, store, service, request); });
        });
}

}  // namespace jobhost::http
