// The reference in config/README.md says what the code does: for every key its default, and whether
// a running host takes a change over.

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "config/changes.h"
#include "config/duration.h"
#include "config/size.h"
#include "host/engine/policy.h"
#include "host/settings_from_config.h"
#include "tests/unit/config/parse.h"

namespace jobhost {
namespace {

using config::accepted;
using config::Changes;
using config::Config;

/// What the reference should say about a key, and a fragment of a file that changes it.
struct Key {
    std::string shown_default;
    std::string fragment;
    std::string base = {};  ///< the file before the change
};
using Keys = std::map<std::string, Key>;

std::string text(Duration duration) {
    return config::to_string(duration);
}
std::string text(const std::optional<Duration>& duration, const std::string& none) {
    return duration ? text(*duration) : none;
}
std::string word(bool value) {
    return value ? "true" : "false";
}

/// What holds where nobody says anything: the engine's built-in values.
Keys policy_keys() {
    const Rules built_in = merge({PolicyLevel{}});
    const bool retries_payload = built_in.do_not_retry.empty();
    const std::string curve = "retry: { initial_delay: 1s, ";
    const std::string on = "retry: { on: { E: { ";
    const std::string of_type = "that of the type";
    return {
        {"timeout", {text(built_in.timeout.value, "none"), "timeout: 1m"}},
        {"retry.max_attempts",
         {std::to_string(built_in.max_attempts.value), "retry: { max_attempts: 3 }"}},
        {"retry.initial_delay",
         {built_in.curve_kind.value == CurveKind::kBuiltIn ? "not set: the built-in curve" : "?",
          "retry: { initial_delay: 1s }"}},
        {"retry.multiplier",
         {std::to_string(built_in.multiplier.value).substr(0, 3), curve + "multiplier: 3 }",
          curve + "}"}},
        {"retry.max_delay",
         {text(built_in.max_delay.value, "no cap"), curve + "max_delay: 1h }", curve + "}"}},
        {"retry.delay", {"default", "retry: { delay: mine }"}},
        {"retry.retry_for",
         {text(built_in.retry_for.value, "no limit"), "retry: { retry_for: 1h }"}},
        {"retry.do_not_retry", {"none", "retry: { do_not_retry: [E] }"}},
        {"retry.retry_payload_errors",
         {word(retries_payload), "retry: { retry_payload_errors: true }"}},
        {"retry.on.<error>.max_attempts", {of_type, on + "max_attempts: 3 } } }"}},
        {"retry.on.<error>.initial_delay", {of_type, on + "initial_delay: 1s } } }"}},
        {"retry.on.<error>.multiplier",
         {of_type, on + "initial_delay: 1s, multiplier: 3 } } }", on + "initial_delay: 1s } } }"}},
        {"retry.on.<error>.max_delay",
         {of_type, on + "initial_delay: 1s, max_delay: 3h } } }", on + "initial_delay: 1s } } }"}},
        {"retry.on.<error>.delay", {of_type, on + "delay: mine } } }"}},
        {"retry.on.<error>.retry_for", {of_type, on + "retry_for: 1h } } }"}},
    };
}

std::string load(const std::string& rest) {
    return "plugins: { load: [ { path: /p.so" + rest + " } ] }";
}

Keys other_keys() {
    const Config c = accepted("plugins: { load: [ { path: /p.so } ] }\n");
    const config::QueueConfig& queue = c.queues.at(0);
    const config::PluginConfig& plugin = c.plugins.load.at(0);
    const std::string hash(64, 'a');
    const bool full = c.storage.synchronous == config::StorageSynchronous::kFull;
    const bool once = c.dead_letter.delivery == config::DeadLetterDelivery::kAtMostOnce;
    const Duration longest = c.retention.failed;
    return {
        {"service", {c.service, "service: other"}},
        {"node", {c.node_name.empty() ? "the host's name" : "?", "node: other"}},
        {"storage.synchronous", {full ? "full" : "normal", ""}},
        {"storage.schema", {c.storage.schema, ""}},
        {"storage.listen", {c.storage.listen ? "true" : "false", ""}},
        {"plugins.directories",
         {c.plugins.directories.empty() ? "none" : "?", "plugins: { directories: [ /x ] }"}},
        {"plugins.load[].path", {"required", load("")}},
        {"plugins.load[].sha256",
         {plugin.sha256 ? "?" : "no check", load(", sha256: " + hash), load("")}},
        {"plugins.load[].settings", {plugin.settings_json, load(", settings: { a: 1 }"), load("")}},
        {"plugins.allow_insecure",
         {word(c.plugins.allow_insecure), "plugins: { allow_insecure: true }"}},
        {"queues[].name", {"required", "queues: [ { name: other } ]"}},
        {"queues[].workers",
         {std::to_string(queue.workers), "queues: [ { name: default, workers: 3 } ]"}},
        {"jobs.<type>.dead_letter.delivery",
         {"dead_letter.delivery", "jobs: { t: { dead_letter: { delivery: at_least_once } } }"}},
        {"heartbeat.interval", {text(c.heartbeat.interval), "heartbeat: { interval: 1s }"}},
        {"heartbeat.timeout", {text(c.heartbeat.timeout), "heartbeat: { timeout: 1m }"}},
        {"shutdown.grace", {text(c.shutdown.grace), "shutdown: { grace: 1s }"}},
        {"shutdown.cancel", {text(c.shutdown.cancel), "shutdown: { cancel: 1s }"}},
        {"dead_letter.delivery",
         {once ? "at_most_once" : "at_least_once", "dead_letter: { delivery: at_least_once }"}},
        {"dead_letter.timeout", {text(c.dead_letter.timeout), "dead_letter: { timeout: 1m }"}},
        {"dead_letter.workers",
         {std::to_string(c.dead_letter.workers), "dead_letter: { workers: 1 }"}},
        {"retention.succeeded", {text(c.retention.succeeded), "retention: { succeeded: 1d }"}},
        {"retention.failed", {text(c.retention.failed), "retention: { failed: 1d }"}},
        {"retention.expired", {text(c.retention.expired), "retention: { expired: 1d }"}},
        {"retention.cancelled", {text(c.retention.cancelled), "retention: { cancelled: 1d }"}},
        {"retention.keys",
         {c.retention.keys == longest ? "the longest of the four" : "?",
          "retention: { keys: 90d }"}},
        {"limits.max_input_bytes",
         {config::size_to_string(c.limits.max_input_bytes), "limits: { max_input_bytes: 2MiB }"}},
        {"limits.max_snoozes",
         {std::to_string(c.limits.max_snoozes), "limits: { max_snoozes: 3 }"}},
        {"http.listen",
         {c.http.address.empty() ? "no port" : "?", "http: { listen: 127.0.0.1:80 }"}},
        {"http.behind_tls_proxy",
         {word(c.http.behind_tls_proxy), "http: { behind_tls_proxy: true }"}},
        {"log.level",
         {c.log.level == config::LogLevel::kInfo ? "info" : "?", "log: { level: debug }"}},
        {"log.format",
         {c.log.format == config::LogFormat::kText ? "text" : "?", "log: { format: json }"}},
        {"log.file", {c.log.file ? "?" : "standard error", "log: { file: /x.log }"}},
    };
}

Keys all_keys() {
    Keys keys = policy_keys();
    keys.merge(other_keys());
    // `thread` is the only word there is, so nothing can change it yet.
    keys["plugins.load[].isolation"] = {.shown_default = "thread", .fragment = ""};
    keys["http.token_file"] = {.shown_default = "none", .fragment = ""};
    keys["storage.url"] = {.shown_default = "required", .fragment = ""};
    keys["storage.url_file"] = {.shown_default = "none", .fragment = ""};
    return keys;
}

struct Row {
    std::string shown_default;
    std::string change;
};

std::string without_ticks(std::string cell) {
    std::erase(cell, '`');
    const std::size_t first = cell.find_first_not_of(' ');
    if (first == std::string::npos) return {};
    return cell.substr(first, cell.find_last_not_of(' ') - first + 1);
}

/// The rows of the reference that say whether a change is live: those of single values.
std::map<std::string, Row> rows_of_values() {
    std::ifstream file(std::string(JOBHOST_CONFIG_DIR) + "/README.md");
    std::map<std::string, Row> rows;
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("| `")) continue;
        std::vector<std::string> cells;
        std::istringstream parts(line.substr(1));
        for (std::string cell; std::getline(parts, cell, '|');) cells.push_back(cell);
        EXPECT_EQ(cells.size(), 5U) << line;
        if (cells.size() != 5) continue;
        EXPECT_NE(without_ticks(cells[1]), "") << "no meaning: " << line;
        const std::string change = without_ticks(cells[4]);
        if (change.empty()) continue;
        rows[without_ticks(cells[0])] = {.shown_default = without_ticks(cells[2]),
                                         .change = change};
    }
    return rows;
}

std::string change_of(const Config& before, const Config& after) {
    const Changes found = config::changes(before, after);
    if (found.live.empty() == found.needs_restart.empty()) return "neither, or both";
    return found.live.empty() ? "restart" : "live";
}

/// `fragment` under a key of another level.
std::string in_queue(const std::string& fragment) {
    return "queues: [ { name: default" + (fragment.empty() ? "" : ", " + fragment) + " } ]\n";
}
std::string in_type(const std::string& fragment) {
    return "jobs: { t: { " + fragment + " } }\n";
}

TEST(ConfigReference, SaysTheDefaultOfEveryKey) {
    std::map<std::string, std::string> written;
    for (const auto& [key, row] : rows_of_values()) written[key] = row.shown_default;
    std::map<std::string, std::string> found;
    for (const auto& [key, expected] : all_keys()) found[key] = expected.shown_default;

    EXPECT_EQ(written, found);
}

TEST(ConfigReference, SaysWhetherAChangeIsLive) {
    const auto rows = rows_of_values();
    for (const auto& [key, expected] : all_keys()) {
        if (expected.fragment.empty() || !rows.contains(key)) continue;
        EXPECT_EQ(change_of(accepted(expected.base + '\n'), accepted(expected.fragment + '\n')),
                  rows.at(key).change)
            << key;
    }
    for (const std::string other :
         {"storage: { url: \"sqlite:other.db\" }\n",
          "storage: { url: \"sqlite:jobs.db\", synchronous: normal }\n"}) {
        EXPECT_EQ(change_of(accepted(""), *config::parse(other)), "restart");
    }
    EXPECT_EQ(rows.at("http.token_file").change, "restart");
    EXPECT_EQ(rows.at("storage.url").change, "restart");
    EXPECT_EQ(rows.at("storage.url_file").change, "restart");
    EXPECT_EQ(rows.at("storage.synchronous").change, "restart");
    EXPECT_EQ(rows.at("storage.schema").change, "restart");
    EXPECT_EQ(rows.at("storage.listen").change, "restart");
    EXPECT_EQ(rows.at("plugins.load[].isolation").change, "restart");
}

TEST(ConfigReference, SpeaksForQueuesAndTypesToo) {
    const auto rows = rows_of_values();
    for (const auto& [key, expected] : policy_keys()) {
        if (key != "retry.do_not_retry") {
            EXPECT_EQ(
                change_of(accepted(in_queue(expected.base)), accepted(in_queue(expected.fragment))),
                rows.at(key).change)
                << key << " in a queue";
        }
        EXPECT_EQ(change_of(accepted(in_type(expected.base)), accepted(in_type(expected.fragment))),
                  rows.at(key).change)
            << key << " in a type";
    }
}

TEST(ConfigReference, KnowsTheDefaultOfDeadLetterDelivery) {
    const EngineSettings settings = engine_settings(accepted(""), "1");
    EXPECT_EQ(settings.global.at_least_once, std::nullopt);
    EXPECT_FALSE(merge({settings.global}).at_least_once.value);
}

}  // namespace
}  // namespace jobhost
