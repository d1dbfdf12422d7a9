#include "host/settings_from_config.h"

#include <array>
#include <unistd.h>
#include <utility>

#include "storage/check.h"

namespace jobhost {
namespace {

RetryLevel retry_level(const config::RetryValues& values) {
    return {.max_attempts = values.max_attempts,
            .initial_delay = values.initial_delay,
            .multiplier = values.multiplier,
            .max_delay = values.max_delay,
            .delay = values.delay,
            .retry_for = values.retry_for};
}

bool at_least_once(config::DeadLetterDelivery delivery) {
    return delivery == config::DeadLetterDelivery::kAtLeastOnce;
}

/// `name` and the first place in the file that says something, `jobs.mail.send, jobhost.yaml:12`.
std::string origin(std::string name, const config::Policy& policy, const std::string& entry) {
    for (const std::string* where : {&policy.retry.values.where, &policy.timeout_where, &entry}) {
        if (!where->empty()) return std::move(name) + ", " + *where;
    }
    return name;
}

PolicyLevel policy_level(const config::Policy& policy, std::string name) {
    PolicyLevel level{.origin = std::move(name),
                      .retry = retry_level(policy.retry.values),
                      .do_not_retry = policy.retry.do_not_retry,
                      .retry_payload_errors = policy.retry.retry_payload_errors,
                      .timeout = policy.timeout};
    for (const config::ErrorRetry& entry : policy.retry.on) {
        level.on.push_back({.type = entry.error, .retry = retry_level(entry.values)});
    }
    return level;
}

LogLevel log_level(config::LogLevel level) {
    switch (level) {
        case config::LogLevel::kTrace: return LogLevel::kTrace;
        case config::LogLevel::kDebug: return LogLevel::kDebug;
        case config::LogLevel::kInfo: return LogLevel::kInfo;
        case config::LogLevel::kWarn: return LogLevel::kWarning;
        case config::LogLevel::kError: return LogLevel::kError;
    }
    JOBHOST_CHECK(false && "an unknown log level");
    __builtin_unreachable();
}

}  // namespace

EngineSettings engine_settings(const config::Config& config, const std::string& version) {
    EngineSettings settings{
        .service = config.service,
        .node_name = node_name(config),
        .version = version,
        .global = policy_level(config.policy, origin("top level", config.policy, {})),
        .beat_interval = config.heartbeat.interval,
        .beat_timeout = config.heartbeat.timeout,
        .shutdown_grace = config.shutdown.grace,
        .shutdown_cancel = config.shutdown.cancel,
        .dead_letter_timeout = config.dead_letter.timeout,
        .dead_letter_workers = config.dead_letter.workers,
        .retention = retention_times(config),
        .max_snoozes = config.limits.max_snoozes,
        .max_input_bytes = static_cast<std::size_t>(config.limits.max_input_bytes)};
    // The configuration does not tell the default from the same word in the file: left to the
    // built-in value, so that nobody is said to have set it.
    if (at_least_once(config.dead_letter.delivery)) settings.global.at_least_once = true;
    for (const config::QueueConfig& queue : config.queues) {
        settings.queues.push_back(
            {.name = queue.name,
             .workers = queue.workers,
             .policy = policy_level(queue.policy,
                                    origin("queue " + queue.name, queue.policy, queue.where))});
    }
    for (const auto& [type, job] : config.jobs) {
        PolicyLevel level = policy_level(job.policy, origin("jobs." + type, job.policy, job.where));
        if (job.dead_letter_delivery)
            level.at_least_once = at_least_once(*job.dead_letter_delivery);
        settings.jobs.emplace_back(type, std::move(level));
    }
    return settings;
}

StoreOptions store_options(const config::Config& config) {
    return {.url = config.storage.url,
            .synchronous_full = config.storage.synchronous == config::StorageSynchronous::kFull,
            .max_input_bytes = static_cast<std::size_t>(config.limits.max_input_bytes),
            .schema = config.storage.schema,
            .listen = config.storage.listen};
}

LogOptions log_options(const config::Config& config) {
    return {.level = log_level(config.log.level),
            .format =
                config.log.format == config::LogFormat::kJson ? LogFormat::kJson : LogFormat::kText,
            .file = config.log.file.value_or("")};
}

PluginOptions plugin_options(const config::Config& config, const std::string& version) {
    PluginOptions options{.allow_insecure = config.plugins.allow_insecure,
                          .node = node_name(config),
                          .version = version};
    options.directories_where = config.plugins.directories_where;
    for (const std::string& directory : config.plugins.directories) {
        options.directories.emplace_back(directory);
    }
    for (const config::PluginConfig& plugin : config.plugins.load) {
        options.load.push_back({.path = plugin.path,
                                .sha256 = plugin.sha256.value_or(""),
                                .settings_json = plugin.settings_json,
                                .where = plugin.where});
    }
    return options;
}

RetentionTimes retention_times(const config::Config& config) {
    return {.succeeded = config.retention.succeeded,
            .failed = config.retention.failed,
            .expired = config.retention.expired,
            .cancelled = config.retention.cancelled,
            .keys = config.retention.keys};
}

std::string node_name(const config::Config& config) {
    if (!config.node_name.empty()) return config.node_name;
    std::array<char, 256> name = {};
    if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "unnamed";
    return name.data();
}

}  // namespace jobhost
