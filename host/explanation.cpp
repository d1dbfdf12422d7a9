#include "host/explanation.h"

#include <algorithm>
#include <set>

#include "config/suggestion.h"
#include "host/text/json_writer.h"
#include "host/timetable.h"

namespace jobhost {
namespace {

constexpr std::size_t kMostRows = 50;

std::string_view curve_word(CurveKind kind) {
    switch (kind) {
        case CurveKind::kBuiltIn: return "built-in";
        case CurveKind::kExponential: return "exponential";
        case CurveKind::kFunction: return "function";
    }
    return "unknown";
}

class Writer {
public:
    explicit Writer(JsonWriter& json) : json_(json) {}

    void write_policy(const Rules& rules) {
        json_.key("policy").begin_object();
        write_values(rules);
        json_.key("do_not_retry").begin_array();
        for (const Sourced<std::string>& name : rules.do_not_retry) {
            json_.begin_object()
                .field("value", name.value)
                .field("origin", name.origin)
                .end_object();
        }
        json_.end_array().key("on").begin_array();
        for (const auto& level : rules.on) {
            for (const Sourced<OnError>& entry : level) write_on(rules, entry);
        }
        json_.end_array().end_object();
    }

    void write_timetable(const Timetable& table) {
        json_.key("timetable").begin_array();
        for (const RetryRow& row : table.rows) {
            json_.begin_object().field("attempt", row.attempt);
            json_.key("delay_min").seconds(row.least);
            json_.key("delay_max").seconds(row.most);
            json_.key("elapsed_min").seconds(row.elapsed_least);
            json_.key("elapsed_max").seconds(row.elapsed_most);
            json_.end_object();
        }
        json_.end_array()
            .field("timetable_is_cut", table.cut)
            .field("ended_by_retry_for", table.ended_by_retry_for);
    }

private:
    template <class Write>
    void write_value(std::string_view name, const std::string& origin, Write write) {
        json_.key(name).begin_object().key("value");
        write();
        json_.field("origin", origin).end_object();
    }

    void write_duration(std::string_view name, const Sourced<std::optional<Duration>>& value) {
        write_value(name, value.origin, [&] {
            const bool is_set = value.value && *value.value > Duration::zero();
            is_set ? json_.seconds(*value.value) : json_.null();
        });
    }

    void write_values(const Rules& rules) {
        write_value("max_attempts", rules.max_attempts.origin,
                    [&] { json_.value(rules.max_attempts.value); });
        write_curve(rules);
        write_duration("retry_for", rules.retry_for);
        write_duration("timeout", rules.timeout);
        write_value("dead_letter_delivery", rules.at_least_once.origin, [&] {
            json_.value(rules.at_least_once.value ? "at_least_once" : "at_most_once");
        });
    }

    void write_curve(const Rules& rules) {
        const CurveKind kind = rules.curve_kind.value;
        write_value("curve", rules.curve_kind.origin, [&] { json_.value(curve_word(kind)); });
        if (kind == CurveKind::kFunction) {
            write_value("delay", rules.function.origin, [&] { json_.value(rules.function.value); });
        }
        if (kind != CurveKind::kExponential) return;
        write_value("initial_delay", rules.initial_delay.origin,
                    [&] { json_.seconds(rules.initial_delay.value); });
        write_value("multiplier", rules.multiplier.origin,
                    [&] { json_.value(rules.multiplier.value); });
        write_duration("max_delay", rules.max_delay);
    }

    /// What holds for one error type: the entry laid over everything else.
    void write_on(const Rules& rules, const Sourced<OnError>& entry) {
        const Rules merged = with_on(rules, entry);
        json_.begin_object().field("error", entry.value.type).field("origin", entry.origin);
        write_on_values(merged);
        json_.field("curve", curve_word(merged.curve_kind.value));
        json_.end_object();
    }

    void write_on_values(const Rules& merged) {
        json_.field("max_attempts", merged.max_attempts.value);
        if (merged.curve_kind.value != CurveKind::kExponential) return;
        json_.key("initial_delay").seconds(merged.initial_delay.value);
        json_.field("multiplier", merged.multiplier.value);
        json_.key("max_delay");
        merged.max_delay.value ? json_.seconds(*merged.max_delay.value) : json_.null();
    }

    JsonWriter& json_;
};

std::string usual_queue(const EngineSettings& settings) {
    const auto found = std::ranges::find(settings.queues, "default", &QueueSettings::name);
    return found == settings.queues.end() ? settings.queues.front().name : found->name;
}

bool has_queue(const EngineSettings& settings, const std::string& queue) {
    return std::ranges::find(settings.queues, queue, &QueueSettings::name) != settings.queues.end();
}

bool names_type(const EngineSettings& settings, const std::string& type) {
    return std::ranges::any_of(settings.jobs, [&](const auto& job) { return job.first == type; });
}

/// The end of a sentence about a type that nobody knows.
std::string nearest_type(const EngineSettings& settings, const JobTypes& types,
                         const std::string& type) {
    std::set<std::string> known;
    for (const LoadedType& loaded : types.types) known.insert(loaded.name);
    for (const auto& job : settings.jobs) known.insert(job.first);
    return config::did_you_mean(type, known);
}

}  // namespace

tl::expected<Explanation, std::string> explain_type(const EngineSettings& settings,
                                                    const JobTypes& types, const std::string& type,
                                                    const std::optional<std::string>& queue) {
    const LoadedType* loaded = types.find(type);
    if (loaded == nullptr && !names_type(settings, type)) {
        return tl::unexpected("no plugin has the type " + type +
                              ", and the configuration does not name it" +
                              nearest_type(settings, types, type));
    }
    if (queue && !has_queue(settings, *queue)) {
        return tl::unexpected("the configuration has no queue " + *queue);
    }
    const std::string in_queue = queue.value_or(usual_queue(settings));
    const Rules rules = merge(policy_levels(settings, types, in_queue, type));

    JsonWriter json;
    json.begin_object()
        .field("type", type)
        .field("queue", in_queue)
        .text_or_null("plugin", loaded == nullptr ? std::string() : loaded->plugin)
        .field("has_handler", loaded != nullptr && loaded->handler != nullptr);
    Writer writer(json);
    writer.write_policy(rules);
    writer.write_timetable(retry_timetable(rules, kMostRows));
    json.text_or_null("contradiction", rules.contradiction).end_object();
    return Explanation{.document = json.take(),
                       .contradiction = rules.contradiction,
                       .is_loaded = loaded != nullptr};
}

}  // namespace jobhost
