#include "host/api/node_json.h"

namespace jobhost::api {
namespace {

void write_node(JsonWriter& json, const Node& node) {
    const NodeRegistration& known = node.registration;
    json.begin_object().key("id").id(node.id);
    json.field("name", known.name)
        .field("service", known.service)
        .field("state", state_text(node.state))
        .field("host", known.host)
        .field("pid", known.pid)
        .field("version", known.version)
        .field("incarnation", known.incarnation)
        .field("started_at", node.started_at)
        .field("beat_at", node.beat_at)
        .text_or_null("death", node.death)
        .field("processing", node.processing)
        .field("queues", known.queues)
        .field("plugins", known.plugins)
        .key("types")
        .begin_array();
    for (const NodeType& type : known.types) {
        json.begin_object()
            .field("name", type.name)
            .field("has_handler", type.has_handler)
            .end_object();
    }
    json.end_array().end_object();
}

}  // namespace

std::string_view state_text(NodeState state) {
    switch (state) {
        case NodeState::kLive: return "live";
        case NodeState::kDead: return "dead";
        case NodeState::kStopped: return "stopped";
    }
    return "unknown";
}

std::string nodes_json(const std::vector<Node>& nodes) {
    JsonWriter json;
    json.begin_object().key("items").begin_array();
    for (const Node& node : nodes) write_node(json, node);
    json.end_array().key("next").null().end_object();
    return json.text();
}

}  // namespace jobhost::api
