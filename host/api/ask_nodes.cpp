#include "host/api/ask_nodes.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "config/duration.h"
#include "host/api/request_error.h"
#include "host/observe/duration_text.h"
#include "host/text/json_writer.h"
#include "storage/json_text.h"

namespace jobhost::api {
namespace {

using namespace std::chrono_literals;

constexpr Duration kLookAtLeastEvery = 500ms;

std::vector<std::string> errors_in(const std::string& body) {
    std::vector<std::string> errors;
    const auto members = json_members(body);
    if (const auto* all = std::get_if<std::vector<JsonMember>>(&members)) {
        for (const JsonMember& member : *all) {
            if (member.key != "errors") continue;
            const auto texts = json_elements(member.value);
            if (const auto* found = std::get_if<std::vector<std::string_view>>(&texts)) {
                for (const auto text : *found)
                    errors.push_back(json_string_value(text).value_or(""));
            }
        }
    }
    if (errors.empty()) errors.emplace_back("it refused without saying why");
    return errors;
}

bool is_live(const std::vector<Node>& nodes, NodeId id) {
    const auto found = std::ranges::find(nodes, id, &Node::id);
    return found != nodes.end() && found->state == NodeState::kLive;
}

struct Asked {
    std::optional<std::int64_t> request = {};  // not answered yet
    NodeAnswer answer = {};
};

void end(Asked& asked, std::string error) {
    asked.request.reset();
    asked.answer.errors.push_back(std::move(error));
}

/// Takes what has come, and gives up on nodes that are gone.
void look(Store& store, std::vector<Asked>& all) {
    const std::vector<Node> nodes = store.nodes();
    for (Asked& asked : all) {
        if (!asked.request) continue;
        if (auto answer = store.take_answer(*asked.request)) {
            asked.request.reset();
            asked.answer.answered = true;
            if (answer->ok) {
                asked.answer.body = std::move(answer->body);
            } else {
                asked.answer.errors = errors_in(answer->body);
            }
        } else if (!is_live(nodes, asked.answer.node.id)) {
            end(asked, "it stopped before it answered");
        }
    }
}

bool all_done(const std::vector<Asked>& all) {
    return std::ranges::none_of(all, [](const Asked& asked) { return asked.request.has_value(); });
}

}  // namespace

std::string node_title(const Node& node) {
    return "node " + std::to_string(node.id) + " (" + node.registration.name + ')';
}

Duration wait_time(const std::string& words) {
    const auto duration = config::parse_duration(words);
    if (!duration) throw RequestError("wait", ' ' + duration.error());
    return *duration;
}

Node find_live_node(Store& store, const std::string& id_or_name) {
    std::vector<Node> found;
    for (Node& node : store.nodes()) {
        if (node.state != NodeState::kLive) continue;
        if (std::to_string(node.id) == id_or_name) return std::move(node);
        if (node.registration.name == id_or_name) found.push_back(std::move(node));
    }
    if (found.size() == 1) return std::move(found.front());
    if (found.empty()) {
        throw RequestError(
            RequestError::Kind::kNotFound,
            "no live node has the id or name " + id_or_name + ": `jobhost nodes` lists them");
    }
    std::string sentence = "several live nodes have the name " + id_or_name + ": say which by id";
    const char* separator = ", one of ";
    for (const Node& node : found) {
        sentence += std::exchange(separator, ", ") + std::to_string(node.id);
    }
    throw RequestError(RequestError::Kind::kBad, sentence);
}

std::vector<Node> live_nodes_of(Store& store, const std::string& service) {
    std::vector<Node> nodes = store.nodes();
    std::erase_if(nodes, [&](const Node& node) {
        return node.state != NodeState::kLive || node.registration.service != service;
    });
    if (nodes.empty()) {
        throw RequestError(RequestError::Kind::kNotFound,
                           "no live node of service " + service +
                               ": name another service or a node; `jobhost nodes` lists them");
    }
    return nodes;
}

std::vector<NodeAnswer> ask_nodes(StoreHandle& handle, Store& store, const std::vector<Node>& nodes,
                                  const Question& question, Duration at_most) {
    // Before the question, so that no answer comes unheard.
    const std::unique_ptr<ChangeListener> listener = handle.open_listener();
    std::vector<Asked> all;
    for (const Node& node : nodes) {
        Asked asked{
            .request = store.ask_node(node.id, question.kind, question.argument, question.by),
            .answer = {.node = node}};
        if (!asked.request) end(asked, "it is not live any more");
        all.push_back(std::move(asked));
    }
    const auto until = std::chrono::steady_clock::now() + at_most;
    while (!all_done(all)) {
        look(store, all);
        const auto left =
            std::chrono::duration_cast<Duration>(until - std::chrono::steady_clock::now());
        if (left <= Duration(0) || all_done(all)) break;
        listener->wait(std::min(left, kLookAtLeastEvery));
    }
    std::vector<NodeAnswer> answers;
    for (Asked& asked : all) {
        if (asked.request) end(asked, "no answer within " + duration_text(at_most));
        answers.push_back(std::move(asked.answer));
    }
    return answers;
}

std::string reload_json(const std::vector<NodeAnswer>& answers) {
    JsonWriter json;
    json.begin_object().key("items").begin_array();
    for (const NodeAnswer& answer : answers) {
        json.begin_object().key("node").id(answer.node.id);
        json.field("name", answer.node.registration.name)
            .field("service", answer.node.registration.service)
            .field("reloaded", answer.errors.empty());
        const auto members = json_members(answer.body);
        if (const auto* all = std::get_if<std::vector<JsonMember>>(&members)) {
            for (const JsonMember& member : *all) json.key(member.key).raw(member.value);
        }
        json.field("errors", answer.errors).end_object();
    }
    json.end_array().key("next").null().end_object();
    return json.text();
}

}  // namespace jobhost::api
