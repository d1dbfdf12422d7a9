#include <algorithm>
#include <string>
#include <vector>

#include "host/cli/commands.h"
#include "host/cli/exit_status.h"
#include "host/cli/store_access.h"
#include "host/cli/text_table.h"
#include "host/json_writer.h"
#include "host/observe/duration_text.h"
#include "host/plugin/plugin_set.h"
#include "host/settings_from_config.h"
#include "host/timetable.h"
#include "host/version.h"

namespace jobhost::cli {
namespace {

constexpr std::size_t kMostRows = 50;

struct Explained {
    std::string type = {};
    std::string queue = {};
    std::string plugin = {};  // empty: no loaded plugin has the type
    bool has_handler = false;
    Rules rules = {};
    Timetable table = {};
};

std::string curve_word(CurveKind kind) {
    switch (kind) {
        case CurveKind::kBuiltIn: return "built-in";
        case CurveKind::kExponential: return "exponential";
        case CurveKind::kFunction: return "function";
    }
    return "unknown";
}

/// A number without the zeros that nobody wrote.
std::string number_text(double number) {
    JsonWriter json;
    return json.value(number).take();
}

/// A value, how people read it, how programs read it, and its level.
struct Value {
    std::string name = {};
    std::string text = {};
    std::string json = {};
    std::string origin = {};
};

Value duration_value(const char* name, const Sourced<std::optional<Duration>>& value) {
    const bool set = value.value && *value.value > Duration::zero();
    JsonWriter json;
    set ? json.seconds(*value.value) : json.null();
    return {name, set ? duration_text(*value.value) : "none", json.take(), value.origin};
}

std::vector<Value> values_of(const Rules& rules) {
    std::vector<Value> values;
    values.push_back({"max_attempts", std::to_string(rules.max_attempts.value),
                      std::to_string(rules.max_attempts.value), rules.max_attempts.origin});
    const std::string curve = curve_word(rules.curve_kind.value);
    values.push_back({"curve", curve, '"' + curve + '"', rules.curve_kind.origin});
    if (rules.curve_kind.value == CurveKind::kFunction) {
        JsonWriter json;
        values.push_back({"delay", rules.function.value, json.value(rules.function.value).take(),
                          rules.function.origin});
    }
    if (rules.curve_kind.value == CurveKind::kExponential) {
        values.push_back(duration_value("initial_delay",
                                        {rules.initial_delay.value, rules.initial_delay.origin}));
        values.push_back({"multiplier", number_text(rules.multiplier.value),
                          number_text(rules.multiplier.value), rules.multiplier.origin});
        values.push_back(duration_value("max_delay", rules.max_delay));
    }
    values.push_back(duration_value("retry_for", rules.retry_for));
    values.push_back(duration_value("timeout", rules.timeout));
    const std::string delivery = rules.at_least_once.value ? "at_least_once" : "at_most_once";
    values.push_back(
        {"dead_letter_delivery", delivery, '"' + delivery + '"', rules.at_least_once.origin});
    return values;
}

void print_rules(const Explained& explained, Output& out) {
    TextTable table({{"VALUE"}, {"IS"}, {"SET BY"}});
    for (const Value& value : values_of(explained.rules)) {
        table.add({value.name, value.text, value.origin});
    }
    for (const Sourced<std::string>& name : explained.rules.do_not_retry) {
        table.add({"do_not_retry", name.value, name.origin});
    }
    for (const auto& level : explained.rules.on) {
        for (const Sourced<OnError>& entry : level) {
            const Rules rules = with_on(explained.rules, entry);
            table.add({"on " + entry.value.type,
                       std::to_string(rules.max_attempts.value) + " attempts, " +
                           curve_word(rules.curve_kind.value) + " curve",
                       entry.origin});
        }
    }
    out.write(table.text(out.colours()));
}

void print_timetable(const Explained& explained, Output& out) {
    const Timetable& timetable = explained.table;
    if (timetable.rows.empty()) {
        out.line("\nno retries");
        return;
    }
    using enum TextTable::Align;
    TextTable table({{"ATTEMPT", kRight},
                     {"DELAY MIN", kRight},
                     {"DELAY MAX", kRight},
                     {"ELAPSED MIN", kRight},
                     {"ELAPSED MAX", kRight}});
    for (const RetryRow& row : timetable.rows) {
        table.add({std::to_string(row.attempt), duration_text(row.least), duration_text(row.most),
                   duration_text(row.elapsed_least), duration_text(row.elapsed_most)});
    }
    out.line("");
    if (explained.rules.curve_kind.value == CurveKind::kFunction) {
        out.line("the delay function " + explained.rules.function.value +
                 " decides; if it fails, the built-in curve:");
    }
    out.write(table.text(out.colours()));
    if (timetable.cut) out.line("… and so on");
    if (timetable.ended_by_retry_for) {
        out.line("retry_for (" + duration_text(*explained.rules.retry_for.value) +
                 ") ends the retries here");
    }
}

void write_timetable(JsonWriter& json, const Explained& explained) {
    json.key("timetable").begin_array();
    for (const RetryRow& row : explained.table.rows) {
        json.begin_object().field("attempt", row.attempt);
        json.key("delay_min").seconds(row.least);
        json.key("delay_max").seconds(row.most);
        json.key("elapsed_min").seconds(row.elapsed_least);
        json.key("elapsed_max").seconds(row.elapsed_most);
        json.end_object();
    }
    json.end_array()
        .field("timetable_is_cut", explained.table.cut)
        .field("ended_by_retry_for", explained.table.ended_by_retry_for);
}

void write_values(JsonWriter& json, const Rules& rules) {
    json.key("policy").begin_object();
    for (const Value& value : values_of(rules)) {
        json.key(value.name).begin_object();
        json.key("value").raw(value.json);
        json.field("origin", value.origin).end_object();
    }
    json.key("do_not_retry").begin_array();
    for (const Sourced<std::string>& name : rules.do_not_retry) {
        json.begin_object().field("value", name.value).field("origin", name.origin).end_object();
    }
    json.end_array().key("on").begin_array();
    for (const auto& level : rules.on) {
        for (const Sourced<OnError>& entry : level) {
            const Rules merged = with_on(rules, entry);
            json.begin_object()
                .field("error", entry.value.type)
                .field("origin", entry.origin)
                .field("max_attempts", merged.max_attempts.value)
                .field("curve", curve_word(merged.curve_kind.value))
                .end_object();
        }
    }
    json.end_array().end_object();
}

void print_json(const Explained& explained, Context& context) {
    JsonWriter json;
    json.begin_object()
        .field("type", explained.type)
        .field("queue", explained.queue)
        .text_or_null("plugin", explained.plugin)
        .field("has_handler", explained.has_handler);
    write_values(json, explained.rules);
    write_timetable(json, explained);
    context.out.line(json.end_object().text());
}

std::string usual_queue(const EngineSettings& settings) {
    const auto found = std::ranges::find(settings.queues, "default", &QueueSettings::name);
    return found == settings.queues.end() ? settings.queues.front().name : found->name;
}

void check_queue(const EngineSettings& settings, const std::string& queue) {
    if (std::ranges::find(settings.queues, queue, &QueueSettings::name) == settings.queues.end()) {
        throw CommandError(kNotFound, "the configuration has no queue " + queue);
    }
}

}  // namespace

int run_command(const ExplainCommand& command, Context& context) {
    const config::Config config = load_configured(context.config_file);
    const auto plugins = load_plugins(plugin_options(config, kVersion));
    if (!plugins) {
        for (const std::string& error : plugins.error()) complain(error);
        return kUsage;
    }
    const EngineSettings settings = engine_settings(config, kVersion);
    if (command.queue) check_queue(settings, *command.queue);
    const LoadedType* type = plugins->types().find(command.type);
    if (type == nullptr && !config.jobs.contains(command.type)) {
        throw CommandError(kNotFound, "no plugin has the type " + command.type +
                                          ", and the configuration does not name it");
    }

    Explained explained{.type = command.type,
                        .queue = command.queue.value_or(usual_queue(settings)),
                        .plugin = type == nullptr ? std::string() : type->plugin,
                        .has_handler = type != nullptr && type->handler != nullptr};
    explained.rules =
        merge(policy_levels(settings, plugins->types(), explained.queue, command.type));
    explained.table = retry_timetable(explained.rules, kMostRows);
    if (type == nullptr) complain("warning: no plugin has the type " + command.type);
    if (!explained.rules.contradiction.empty()) {
        complain("the policy contradicts itself: " + explained.rules.contradiction);
    }
    if (context.json) {
        print_json(explained, context);
    } else {
        context.out.line(explained.type + " in queue " + explained.queue +
                         (type == nullptr ? std::string() : ", plugin " + explained.plugin));
        print_rules(explained, context.out);
        print_timetable(explained, context.out);
    }
    return explained.rules.contradiction.empty() ? kDone : kUsage;
}

}  // namespace jobhost::cli
