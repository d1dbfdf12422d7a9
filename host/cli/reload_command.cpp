#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "host/cli/ask_nodes.h"
#include "host/cli/commands.h"
#include "host/cli/exit_status.h"
#include "host/text/json_writer.h"
#include "storage/json_text.h"

namespace jobhost::cli {
namespace {

using Json = nlohmann::json;

std::vector<Node> wanted_nodes(const ReloadCommand& command, StoreAccess& access) {
    access.bury_dead_nodes();
    if (!command.node.empty()) return {find_live_node(access, command.node)};
    const std::string& service =
        command.service.empty() ? access.config().service : command.service;
    std::vector<Node> nodes;
    for (Node& node : access.store().nodes()) {
        if (node.state == NodeState::kLive && node.registration.service == service) {
            nodes.push_back(std::move(node));
        }
    }
    if (nodes.empty()) {
        throw CommandError(kNotFound, "no live node of service " + service +
                                          ": give --service or --node; `jobhost nodes` lists them");
    }
    return nodes;
}

/// Each member of the node's answer, as it is; and in any case all of its errors.
void write_json(const std::vector<NodeAnswer>& answers, Context& context) {
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
    context.out.document(json.text());
}

std::string text_of(const Json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

void print(const NodeAnswer& answer, Context& context) {
    const std::string title = node_title(answer.node);
    if (!answer.errors.empty()) {
        context.out.line(title + ": not reloaded");
        for (const std::string& error : answer.errors) complain(title + ": " + error);
        return;
    }
    const Json body = Json::parse(answer.body);
    const Json changes = body.value("changes", Json::array());
    context.out.line(title + (changes.empty() ? ": nothing has changed" : ": reloaded"));
    for (const Json& change : changes) {
        context.out.line("  " + text_of(change, "key") + ": " + text_of(change, "before") + " -> " +
                         text_of(change, "after"));
    }
    for (const Json& key : body.value("needs_restart", Json::array())) {
        context.out.line("  " + key.get<std::string>() + ": changed in the file; needs a restart");
    }
    for (const Json& warning : body.value("warnings", Json::array())) {
        complain(title + ": warning: " + warning.get<std::string>());
    }
}

}  // namespace

int run_command(const ReloadCommand& command, Context& context) {
    const Duration at_most = wait_time(command.wait);
    StoreAccess access(context.config_file);
    const std::vector<NodeAnswer> answers =
        ask_nodes(access, wanted_nodes(command, access), NodeRequest::Kind::kReload, "", at_most);
    if (context.json) {
        write_json(answers, context);
    } else {
        for (const NodeAnswer& answer : answers) print(answer, context);
    }
    const bool all_well = std::ranges::all_of(
        answers, [](const NodeAnswer& answer) { return answer.errors.empty(); });
    return all_well ? kDone : kFailed;
}

}  // namespace jobhost::cli
