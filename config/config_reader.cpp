#include "config/config_reader.h"

#include <algorithm>

#include "config/duration.h"
#include "config/http_reader.h"
#include "config/plugins_reader.h"
#include "config/policy_reader.h"
#include "config/storage_reader.h"
#include "config/value_parsers.h"

namespace jobhost::config {
namespace {

using namespace std::chrono_literals;

constexpr Duration kLongerThanZero{1};
constexpr std::int64_t kMostInputBytes = 16 * 1024 * 1024;
constexpr int kMostSnoozes = 1'000'000;

/// Empty, as from `${NODE:-}`, is the same as not set.
Parsed<std::string> parse_node_name(const Scalar& scalar) {
    if (!scalar.is_null && scalar.text.empty()) return scalar.text;
    return name()(scalar);
}

void read_heartbeat(MapReader& map, HeartbeatConfig& into) {
    map.read("interval", into.interval, duration(100ms));
    map.read("timeout", into.timeout, duration(100ms));
    if (into.timeout >= 2 * into.interval) return;
    const std::string key = map.has("timeout") ? "timeout" : "interval";
    map.error(key, "the timeout (" + to_string(into.timeout) +
                       ") must be at least twice the interval (" + to_string(into.interval) + ")");
}

void read_shutdown(MapReader& map, ShutdownConfig& into) {
    map.read("grace", into.grace, duration(Duration::zero()));
    map.read("cancel", into.cancel, duration(Duration::zero()));
}

void read_dead_letter(MapReader& map, DeadLetterConfig& into) {
    map.read("delivery", into.delivery, choice(delivery_words()));
    map.read("timeout", into.timeout, duration(kLongerThanZero));
    map.read("workers", into.workers, whole_number(1, kMostWorkers));
}

/// Zero means for ever, so it is longer than everything.
Duration longest_of(const RetentionConfig& retention) {
    const auto all = {retention.succeeded, retention.failed, retention.expired,
                      retention.cancelled};
    const bool for_ever = std::ranges::find(all, Duration::zero()) != all.end();
    return for_ever ? Duration::zero() : std::ranges::max(all);
}

void read_retention(MapReader& map, RetentionConfig& into) {
    const auto age = duration(Duration::zero());
    map.read("succeeded", into.succeeded, age);
    map.read("failed", into.failed, age);
    map.read("expired", into.expired, age);
    map.read("cancelled", into.cancelled, age);
    into.keys = longest_of(into);
    map.read("keys", into.keys, age);
}

void read_limits(MapReader& map, LimitsConfig& into) {
    map.read("max_input_bytes", into.max_input_bytes, size(1, kMostInputBytes));
    map.read("max_snoozes", into.max_snoozes, whole_number(0, kMostSnoozes));
}

void read_log(MapReader& map, LogConfig& into) {
    map.read("level", into.level,
             choice<LogLevel>({{"trace", LogLevel::kTrace},
                               {"debug", LogLevel::kDebug},
                               {"info", LogLevel::kInfo},
                               {"warn", LogLevel::kWarn},
                               {"error", LogLevel::kError}}));
    map.read("format", into.format,
             choice<LogFormat>({{"text", LogFormat::kText}, {"json", LogFormat::kJson}}));
    map.read("file", into.file, path(PathKind::kFile, map.context().base_dir()));
}

}  // namespace

Config read_config(MapReader& root) {
    Config config;
    root.read("service", config.service, name());
    root.read("node", config.node_name, parse_node_name);
    root.require("storage");
    root.section("storage", [&](MapReader& map) { read_storage(map, config.storage); });
    root.section("plugins", [&](MapReader& map) { read_plugins(map, config.plugins); });
    read_queues(root, config.queues);
    read_policy(root, config.policy, PolicyLevel::kGlobal);
    read_jobs(root, config.jobs);
    root.section("heartbeat", [&](MapReader& map) { read_heartbeat(map, config.heartbeat); });
    root.section("shutdown", [&](MapReader& map) { read_shutdown(map, config.shutdown); });
    root.section("dead_letter", [&](MapReader& map) { read_dead_letter(map, config.dead_letter); });
    root.section("retention", [&](MapReader& map) { read_retention(map, config.retention); });
    root.section("limits", [&](MapReader& map) { read_limits(map, config.limits); });
    root.section("http", [&](MapReader& map) { read_http(map, config.http); });
    root.section("log", [&](MapReader& map) { read_log(map, config.log); });
    root.finish();
    return config;
}

}  // namespace jobhost::config
