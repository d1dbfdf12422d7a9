#include <string>

#include <nlohmann/json.hpp>

#include "host/api/ask_nodes.h"
#include "host/cli/commands.h"
#include "host/cli/exit_status.h"
#include "host/cli/store_access.h"
#include "host/cli/text_table.h"
#include "host/explanation.h"
#include "host/observe/counted.h"
#include "host/observe/duration_text.h"
#include "host/plugin/plugin_set.h"
#include "host/settings_from_config.h"
#include "host/text/json_writer.h"
#include "host/version.h"

namespace jobhost::cli {
namespace {

using Json = nlohmann::json;

/// As people read it: durations come as seconds, and null means none.
std::string value_text(const std::string& name, const Json& value) {
    const bool is_duration =
        name == "initial_delay" || name == "max_delay" || name == "retry_for" || name == "timeout";
    if (value.is_null()) return "none";
    if (value.is_string()) return value.get<std::string>();
    if (!is_duration || !value.is_number()) return value.dump();
    return duration_text(Duration(static_cast<Duration::rep>(value.get<double>() * 1e6 + 0.5)));
}

std::string member_text(const Json& object, const char* name) {
    const auto found = object.find(name);
    return found == object.end() ? std::string() : value_text(name, *found);
}

std::string on_text(const Json& entry) {
    std::string text = counted(entry.value("max_attempts", 0), "attempt") + ", " +
                       member_text(entry, "curve") + " curve";
    if (!entry.contains("initial_delay")) return text;
    text += ": " + value_text("initial_delay", entry["initial_delay"]) + " x " +
            member_text(entry, "multiplier") + "^(runs - 1)";
    const std::string cap = member_text(entry, "max_delay");
    if (cap != "none") text += ", at most " + cap;
    return text;
}

void print_policy(const Json& policy, Output& out) {
    TextTable table({{"VALUE"}, {"IS"}, {"SET BY"}});
    // In the order in which people think of them.
    for (const char* name : {"max_attempts", "curve", "delay", "initial_delay", "multiplier",
                             "max_delay", "retry_for", "timeout", "dead_letter_delivery"}) {
        const auto value = policy.find(name);
        if (value == policy.end()) continue;
        table.add({name, value_text(name, value->at("value")), member_text(*value, "origin")});
    }
    for (const Json& name : policy.at("do_not_retry")) {
        table.add({"do_not_retry", member_text(name, "value"), member_text(name, "origin")});
    }
    for (const Json& entry : policy.at("on")) {
        table.add(
            {"on " + member_text(entry, "error"), on_text(entry), member_text(entry, "origin")});
    }
    out.write(table.text(out.colours()));
}

std::string seconds_text(const Json& row, const char* name) {
    return value_text("timeout", row.at(name));
}

void print_timetable(const Json& explained, Output& out) {
    const Json& rows = explained.at("timetable");
    if (rows.empty()) {
        out.line("");
        out.line("no retries");
        return;
    }
    using enum TextTable::Align;
    TextTable table({{"ATTEMPT", kRight},
                     {"DELAY MIN", kRight},
                     {"DELAY MAX", kRight},
                     {"ELAPSED MIN", kRight},
                     {"ELAPSED MAX", kRight}});
    for (const Json& row : rows) {
        table.add({member_text(row, "attempt"), seconds_text(row, "delay_min"),
                   seconds_text(row, "delay_max"), seconds_text(row, "elapsed_min"),
                   seconds_text(row, "elapsed_max")});
    }
    out.line("");
    const Json& policy = explained.at("policy");
    if (policy.contains("delay")) {
        out.line("the delay function " + value_text("delay", policy["delay"]["value"]) +
                 " decides; if it fails, the built-in curve:");
    }
    out.write(table.text(out.colours()));
    if (explained.value("timetable_is_cut", false)) out.line("… and so on");
    if (explained.value("ended_by_retry_for", false)) {
        out.line("retry_for (" + value_text("retry_for", policy.at("retry_for").at("value")) +
                 ") ends the retries here");
    }
}

/// `by`: who says so, ` on node …`, or empty.
void print(const std::string& document, const std::string& by, Context& context) {
    if (context.json) return context.out.document(document);
    const Json explained = Json::parse(document);
    const std::string plugin = member_text(explained, "plugin");
    context.out.line(member_text(explained, "type") + " in queue " +
                     member_text(explained, "queue") +
                     (plugin == "none" ? "" : ", plugin " + plugin) + by);
    print_policy(explained.at("policy"), context.out);
    print_timetable(explained, context.out);
}

int explain_file(const ExplainCommand& command, Context& context) {
    const config::Config config = load_configured(context.config_file);
    const auto plugins = load_plugins(plugin_options(config, kVersion));
    if (!plugins) {
        std::string sentences;
        for (const std::string& error : plugins.error()) sentences += error + '\n';
        throw CommandError(kUsage, sentences);
    }
    const auto explained = explain_type(engine_settings(config, kVersion), plugins->types(),
                                        command.type, command.queue);
    if (!explained) throw CommandError(kNotFound, explained.error());
    if (!explained->is_loaded) complain("warning: no plugin has the type " + command.type);
    if (!explained->contradiction.empty()) {
        complain("the policy contradicts itself: " + explained->contradiction);
    }
    print(explained->document, "", context);
    return explained->contradiction.empty() ? kDone : kUsage;
}

int explain_node(const ExplainCommand& command, Context& context) {
    const Duration at_most = api::wait_time(command.wait);
    StoreAccess access(context.config_file);
    access.bury_dead_nodes();
    const Node node = api::find_live_node(access.store(), *command.node);
    JsonWriter argument;
    argument.begin_object().field("type", command.type);
    if (command.queue) argument.field("queue", *command.queue);
    const api::Question question{.kind = NodeRequest::Kind::kExplain,
                                 .argument = argument.end_object().text(),
                                 .by = acting_user()};
    const api::NodeAnswer answer =
        api::ask_nodes(access.handle(), access.store(), {node}, question, at_most).front();
    if (!answer.errors.empty()) {
        throw CommandError(answer.answered ? kNotFound : kFailed,
                           api::node_title(node) + ": " + answer.errors.front());
    }
    print(answer.body, ", as in force on " + api::node_title(node), context);
    return kDone;
}

}  // namespace

int run_command(const ExplainCommand& command, Context& context) {
    return command.node ? explain_node(command, context) : explain_file(command, context);
}

}  // namespace jobhost::cli
