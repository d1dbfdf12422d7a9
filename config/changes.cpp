#include "config/changes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "config/duration.h"

namespace jobhost::config {
namespace {

using Values = std::map<std::string, std::string>;

std::string text_of(int value) {
    return std::to_string(value);
}
std::string text_of(bool value) {
    return value ? "true" : "false";
}
std::string text_of(Duration value) {
    return to_string(value);
}
std::string text_of(const std::string& value) {
    return value;
}
std::string text_of(double value) {
    std::array<char, 32> text = {};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}
std::string text_of(const std::vector<std::string>& values) {
    std::string text = "[";
    for (const std::string& value : values) text += (text.size() > 1 ? ", " : "") + value;
    return text + ']';
}
std::string text_of(DeadLetterDelivery delivery) {
    return delivery == DeadLetterDelivery::kAtLeastOnce ? "at_least_once" : "at_most_once";
}
std::string text_of(LogFormat format) {
    return format == LogFormat::kJson ? "json" : "text";
}
std::string text_of(LogLevel level) {
    switch (level) {
        case LogLevel::kTrace: return "trace";
        case LogLevel::kDebug: return "debug";
        case LogLevel::kInfo: return "info";
        case LogLevel::kWarn: return "warn";
        case LogLevel::kError: return "error";
    }
    return {};
}

/// Collects the values of one configuration under their keys.
class Collector {
public:
    template <class Value>
    void add(const std::string& key, const Value& value) {
        values_.insert_or_assign(key, text_of(value));
    }
    template <class Value>
    void add(const std::string& key, const std::optional<Value>& value) {
        if (value) add(key, *value);
    }

    void add_values(const std::string& key, const RetryValues& values) {
        add(key + ".max_attempts", values.max_attempts);
        add(key + ".initial_delay", values.initial_delay);
        add(key + ".multiplier", values.multiplier);
        add(key + ".max_delay", values.max_delay);
        add(key + ".delay", values.delay);
        add(key + ".retry_for", values.retry_for);
    }

    /// `prefix`: empty at the top level, else with a dot at its end.
    void add_policy(const std::string& prefix, const Policy& policy) {
        const std::string retry = prefix + "retry";
        add_values(retry, policy.retry.values);
        if (!policy.retry.do_not_retry.empty()) {
            add(retry + ".do_not_retry", policy.retry.do_not_retry);
        }
        add(retry + ".retry_payload_errors", policy.retry.retry_payload_errors);
        for (const ErrorRetry& entry : policy.retry.on) {
            add(retry + ".on." + entry.error, std::string("set"));
            add_values(retry + ".on." + entry.error, entry.values);
        }
        add(prefix + "timeout", policy.timeout);
    }

    Values take() { return std::move(values_); }

private:
    Values values_;
};

/// Live: what with_live_parts takes over.
Values live_values(const Config& config) {
    Collector all;
    all.add_policy("", config.policy);
    for (const QueueConfig& queue : config.queues) {
        const std::string key = "queues." + queue.name;
        all.add(key + ".workers", queue.workers);
        all.add_policy(key + '.', queue.policy);
    }
    for (const auto& [type, job] : config.jobs) {
        all.add_policy("jobs." + type + '.', job.policy);
        all.add("jobs." + type + ".dead_letter.delivery", job.dead_letter_delivery);
    }
    all.add("shutdown.grace", config.shutdown.grace);
    all.add("shutdown.cancel", config.shutdown.cancel);
    all.add("dead_letter.delivery", config.dead_letter.delivery);
    all.add("dead_letter.timeout", config.dead_letter.timeout);
    all.add("dead_letter.workers", config.dead_letter.workers);
    all.add("retention.succeeded", config.retention.succeeded);
    all.add("retention.failed", config.retention.failed);
    all.add("retention.expired", config.retention.expired);
    all.add("retention.cancelled", config.retention.cancelled);
    all.add("retention.keys", config.retention.keys);
    all.add("limits.max_snoozes", config.limits.max_snoozes);
    all.add("log.level", config.log.level);
    all.add("log.format", config.log.format);
    return all.take();
}

/// Apart from where they stand in the file.
bool same_plugins(const std::vector<PluginConfig>& a, const std::vector<PluginConfig>& b) {
    return std::ranges::equal(a, b, [](PluginConfig one, PluginConfig other) {
        one.where.clear();
        other.where.clear();
        return one == other;
    });
}

std::vector<std::string> keys_that_need_a_restart(const Config& running, const Config& wanted) {
    const std::pair<const char*, bool> differs[] = {
        {"heartbeat", running.heartbeat != wanted.heartbeat},
        {"http", running.http != wanted.http},
        {"limits.max_input_bytes", running.limits.max_input_bytes != wanted.limits.max_input_bytes},
        {"log.file", running.log.file != wanted.log.file},
        {"node", running.node_name != wanted.node_name},
        {"plugins.allow_insecure", running.plugins.allow_insecure != wanted.plugins.allow_insecure},
        {"plugins.directories", running.plugins.directories != wanted.plugins.directories},
        {"plugins.load", !same_plugins(running.plugins.load, wanted.plugins.load)},
        {"service", running.service != wanted.service},
        {"storage", running.storage != wanted.storage},
    };
    std::vector<std::string> keys;
    for (const auto& [key, is_different] : differs) {
        if (is_different) keys.emplace_back(key);
    }
    return keys;
}

}  // namespace

Changes changes(const Config& running, const Config& wanted) {
    Changes found;
    Values before = live_values(running);
    Values after = live_values(wanted);
    Values all = before;
    all.insert(after.begin(), after.end());
    const auto value_in = [](const Values& values, const std::string& key) {
        const auto value = values.find(key);
        return value == values.end() ? std::string("not set") : value->second;
    };
    for (const auto& [key, value] : all) {
        Change change{key, value_in(before, key), value_in(after, key)};
        if (change.before != change.after) found.live.push_back(std::move(change));
    }
    found.needs_restart = keys_that_need_a_restart(running, wanted);
    return found;
}

Config with_live_parts(const Config& running, const Config& wanted) {
    Config config = wanted;
    config.service = running.service;
    config.node_name = running.node_name;
    config.storage = running.storage;
    config.plugins = running.plugins;
    config.heartbeat = running.heartbeat;
    config.http = running.http;
    config.limits.max_input_bytes = running.limits.max_input_bytes;
    config.log.file = running.log.file;
    return config;
}

}  // namespace jobhost::config
