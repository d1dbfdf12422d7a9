#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "host/api/ask_nodes.h"
#include "host/cli/commands.h"
#include "host/cli/exit_status.h"
#include "host/cli/store_access.h"

namespace jobhost::cli {
namespace {

using Json = nlohmann::json;

std::vector<Node> wanted_nodes(const ReloadCommand& command, StoreAccess& access) {
    access.bury_dead_nodes();
    if (!command.node.empty()) return {api::find_live_node(access.store(), command.node)};
    return api::live_nodes_of(access.store(),
                              command.service.empty() ? access.config().service : command.service);
}

std::string text_of(const Json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

void print(const api::NodeAnswer& answer, Context& context) {
    const std::string title = api::node_title(answer.node);
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
    const Duration at_most = api::wait_time(command.wait);
    StoreAccess access(context.config_file);
    const api::Question question{.kind = NodeRequest::Kind::kReload, .by = acting_user()};
    const std::vector<api::NodeAnswer> answers = api::ask_nodes(
        access.handle(), access.store(), wanted_nodes(command, access), question, at_most);
    if (context.json) {
        context.out.document(api::reload_json(answers));
    } else {
        for (const api::NodeAnswer& answer : answers) print(answer, context);
    }
    const bool all_well = std::ranges::all_of(
        answers, [](const api::NodeAnswer& answer) { return answer.errors.empty(); });
    return all_well ? kDone : kFailed;
}

}  // namespace jobhost::cli
