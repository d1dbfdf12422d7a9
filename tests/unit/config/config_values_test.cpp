#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/config/parse.h"

namespace jobhost::config {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

TEST(ConfigValues, OfAFileThatSetsNothingAreTheDefaultsOfTheStructs) {
    Config expected;
    expected.storage.url = "sqlite:///etc/jobhost/jobs.db";
    expected.storage.path = "/etc/jobhost/jobs.db";

    EXPECT_EQ(accepted(""), expected);
    EXPECT_EQ(accepted("plugins:\njobs:\nretry:\nheartbeat: ~\nlog: {}\nretention:\n").queues,
              expected.queues);
}

TEST(ConfigValues, HaveTheDocumentedDefaults) {
    const Config config = accepted("");

    EXPECT_EQ(config.service, "default");
    EXPECT_EQ(config.node_name, "");
    EXPECT_EQ(config.storage.synchronous, StorageSynchronous::kFull);
    ASSERT_EQ(config.queues.size(), 1u);
    EXPECT_EQ(config.queues[0].name, "default");
    EXPECT_EQ(config.queues[0].workers, 10);
    EXPECT_EQ(config.policy, Policy{});
    EXPECT_EQ(config.heartbeat.interval, 5s);
    EXPECT_EQ(config.heartbeat.timeout, 30s);
    EXPECT_EQ(config.shutdown.grace, 15s);
    EXPECT_EQ(config.shutdown.cancel, 10s);
    EXPECT_EQ(config.dead_letter.delivery, DeadLetterDelivery::kAtMostOnce);
    EXPECT_EQ(config.dead_letter.timeout, 5min);
    EXPECT_EQ(config.dead_letter.workers, 4);
    EXPECT_EQ(config.retention.succeeded, 168h);
    EXPECT_EQ(config.retention.failed, 720h);
    EXPECT_EQ(config.retention.expired, 168h);
    EXPECT_EQ(config.retention.cancelled, 168h);
    EXPECT_EQ(config.retention.keys, 720h);
    EXPECT_EQ(config.limits.max_input_bytes, 1'048'576);
    EXPECT_EQ(config.limits.max_snoozes, 1000);
    EXPECT_EQ(config.log, LogConfig{});
}

TEST(ConfigValues, AreReadFromEverySection) {
    const Config config = accepted(
        "service: payments\nnode: node-1\n"
        "heartbeat: { interval: 100ms, timeout: 200ms }\nshutdown: { grace: 0, cancel: 0s }\n"
        "dead_letter: { delivery: at_least_once, timeout: 00:01:30, workers: 1000 }\n"
        "limits: { max_input_bytes: 16MiB, max_snoozes: 0 }\n"
        "log: { level: trace, format: json, file: logs/host.log }\n");

    EXPECT_EQ(config.service, "payments");
    EXPECT_EQ(config.node_name, "node-1");
    EXPECT_EQ(config.heartbeat, (HeartbeatConfig{100ms, 200ms}));
    EXPECT_EQ(config.shutdown, (ShutdownConfig{0s, 0s}));
    EXPECT_EQ(config.dead_letter, (DeadLetterConfig{DeadLetterDelivery::kAtLeastOnce, 90s, 1000}));
    EXPECT_EQ(config.limits, (LimitsConfig{16 * 1024 * 1024, 0}));
    EXPECT_EQ(config.log,
              (LogConfig{LogLevel::kTrace, LogFormat::kJson, "/etc/jobhost/logs/host.log"}));
}

TEST(ConfigValues, OfAPolicyKeepUnsetAndZeroApart) {
    const Config config = accepted(
        "retry: { max_attempts: 0 }\n"
        "timeout: 0\n"
        "queues:\n"
        "  - { name: a, timeout: 5m }\n"
        "  - name: b\n"
        "    retry: { max_attempts: 10 }\n");

    EXPECT_EQ(config.policy.retry.values.max_attempts, 0);
    EXPECT_EQ(config.policy.timeout, Duration::zero());
    EXPECT_EQ(config.policy.timeout_where, "j.yaml:3");
    EXPECT_EQ(config.queues[0].policy.retry.values.max_attempts, std::nullopt);
    EXPECT_EQ(config.queues[0].policy.timeout, 5min);
    EXPECT_EQ(config.queues[1].policy.retry.values.max_attempts, 10);
    EXPECT_EQ(config.queues[1].policy.retry.values.where, "j.yaml:7");
    EXPECT_EQ(config.queues[1].policy.timeout, std::nullopt);
    EXPECT_EQ(config.queues[1].policy.timeout_where, "");
    EXPECT_EQ(config.queues[1].where, "j.yaml:6");
}

TEST(ConfigValues, OfARetryPolicyAreAllRead) {
    const Config config = accepted(
        "jobs:\n"
        "  payments.process:\n"
        "    retry:\n"
        "      max_attempts: 5\n"
        "      initial_delay: 30s\n"
        "      multiplier: 2.5\n"
        "      max_delay: 1h\n"
        "      retry_for: 24h\n"
        "      do_not_retry: [\"payments::InvalidPixKey\", std::logic_error]\n"
        "      retry_payload_errors: true\n"
        "      on:\n"
        "        Z: { max_attempts: 20, initial_delay: 1m }\n"
        "        \"a::B<int>\": { delay: mine }\n"
        "    timeout: 5m\n"
        "    dead_letter: { delivery: at_least_once }\n");

    ASSERT_EQ(config.jobs.size(), 1u);
    const JobTypeConfig& job = config.jobs.at("payments.process");
    EXPECT_EQ(job.policy.retry.values, (RetryValues{.max_attempts = 5,
                                                    .initial_delay = 30s,
                                                    .multiplier = 2.5,
                                                    .max_delay = 1h,
                                                    .retry_for = 24h,
                                                    .where = "j.yaml:4"}));
    EXPECT_THAT(job.policy.retry.do_not_retry,
                ElementsAre("payments::InvalidPixKey", "std::logic_error"));
    EXPECT_EQ(job.policy.retry.retry_payload_errors, true);
    EXPECT_THAT(
        job.policy.retry.on,
        ElementsAre(
            ErrorRetry{"Z", {.max_attempts = 20, .initial_delay = 1min, .where = "j.yaml:13"}},
            ErrorRetry{"a::B<int>", {.delay = "mine", .where = "j.yaml:14"}}));
    EXPECT_EQ(job.policy.timeout, 5min);
    EXPECT_EQ(job.dead_letter_delivery, DeadLetterDelivery::kAtLeastOnce);
    EXPECT_EQ(job.where, "j.yaml:3");
}

TEST(ConfigValues, OfRetryAllowAWiderLevelToCompleteThem) {
    const Config config = accepted(
        "retry: { max_delay: 1h, on: { X: { multiplier: 3 } } }\n"
        "queues: [ { name: a, retry: { multiplier: 3 } } ]\n"
        "jobs: { t: { retry: { delay: default } } }\n");

    EXPECT_EQ(config.policy.retry.values.max_delay, 1h);
    EXPECT_EQ(config.jobs.at("t").policy.retry.values.delay, "default");
}

TEST(ConfigValues, KeepNamesAsTheyAreWritten) {
    const Config config = accepted(
        "queues:\n"
        "  - { name: no }\n  - { name: on }\n  - { name: y }\n  - { name: null }\n  - { name: 1.0 "
        "}\n"
        "  - { name: 2024-01-01 }\n  - { name: 'off' }\n  - { name: \"true\" }\n  - { name: 010 }\n"
        "jobs: { null: {}, yes: {}, 'no': {} }\n"
        "retry: { do_not_retry: [on, null, 1.0] }\n"
        "plugins: { directories: [off] }\n");

    std::vector<std::string> names;
    for (const QueueConfig& queue : config.queues) names.push_back(queue.name);
    EXPECT_THAT(names,
                ElementsAre("no", "on", "y", "null", "1.0", "2024-01-01", "off", "true", "010"));
    EXPECT_TRUE(config.jobs.contains("null") && config.jobs.contains("yes") &&
                config.jobs.contains("no"));
    EXPECT_THAT(config.policy.retry.do_not_retry, ElementsAre("on", "null", "1.0"));
    EXPECT_THAT(config.plugins.directories, ElementsAre("/etc/jobhost/off"));
}

TEST(ConfigValues, OfPluginsHaveAbsolutePathsAndJsonSettings) {
    const Config config = accepted(
        "plugins:\n"
        "  directories: [/usr/lib/plugins/, ../lib, /]\n"
        "  allow_insecure: true\n"
        "  load:\n"
        "    - path: ./libpayments.so\n"
        "      sha256: ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef0123456789\n"
        "      isolation: thread\n"
        "      settings: { z: \"${TOKEN}\", a: 1, b: [true, ~] }\n"
        "    - path: /opt/b.so\n"
        "      settings:\n",
        {{"TOKEN", "s3cret"}});

    EXPECT_THAT(config.plugins.directories, ElementsAre("/usr/lib/plugins", "/etc/lib", "/"));
    EXPECT_TRUE(config.plugins.allow_insecure);
    EXPECT_THAT(
        config.plugins.load,
        ElementsAre(
            PluginConfig{
                .path = "/etc/jobhost/libpayments.so",
                .sha256 = "abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789",
                .settings_json = "{\"z\":\"s3cret\",\"a\":1,\"b\":[true,null]}",
                .where = "j.yaml:6"},
            PluginConfig{.path = "/opt/b.so", .where = "j.yaml:10"}));
}

TEST(ConfigValues, KeepIdempotencyKeysAsLongAsTheLongestJob) {
    EXPECT_EQ(accepted("retention: { succeeded: 90d }\n").retention.keys, 2160h);
    EXPECT_EQ(accepted("retention: { failed: 1d }\n").retention.keys, 168h);
    EXPECT_EQ(accepted("retention: { expired: 0 }\n").retention.keys, Duration::zero())
        << "for ever";
    EXPECT_EQ(accepted("retention: { expired: 0, keys: 1d }\n").retention.keys, 24h);
    EXPECT_EQ(accepted("retention: { keys: 0 }\n").retention.keys, Duration::zero());
}

TEST(ConfigValues, MayComeFromTheEnvironmentWithTheirKind) {
    const Config config = accepted(
        "service: ${SERVICE}\nnode: \"${NODE:-}\"\n"
        "queues: [ { name: \"${QUEUE:-q}\", workers: \"${WORKERS}\", timeout: \"${TIMEOUT:-5m}\" } "
        "]\n"
        "retry: { multiplier: \"${FACTOR}\", initial_delay: 1s, retry_payload_errors: \"${YES}\" "
        "}\n"
        "limits: { max_input_bytes: \"${SIZE}\" }\n"
        "log: { level: \"${LEVEL}\" }\n",
        {{"SERVICE", "pay"},
         {"WORKERS", "7"},
         {"FACTOR", "1.5"},
         {"YES", "true"},
         {"SIZE", "2MiB"},
         {"LEVEL", "warn"}});

    EXPECT_EQ(config.service, "pay");
    EXPECT_EQ(config.node_name, "");
    EXPECT_EQ(config.queues[0].name, "q");
    EXPECT_EQ(config.queues[0].workers, 7);
    EXPECT_EQ(config.queues[0].policy.timeout, 5min);
    EXPECT_EQ(config.policy.retry.values.multiplier, 1.5);
    EXPECT_EQ(config.policy.retry.retry_payload_errors, true);
    EXPECT_EQ(config.limits.max_input_bytes, 2 * 1024 * 1024);
    EXPECT_EQ(config.log.level, LogLevel::kWarn);
}

TEST(ConfigValues, FromTheEnvironmentAreNeverReadAsStructure) {
    const Config config = accepted("plugins: { load: [ { path: \"${LIB}\" } ] }\n",
                                   {{"LIB", "a: b, c.so } # \"${HOME}\""}});

    ASSERT_EQ(config.plugins.load.size(), 1u);
    EXPECT_EQ(config.plugins.load[0].path, "/etc/jobhost/a: b, c.so } # \"${HOME}\"");
}

TEST(ConfigValues, MayBeSharedByAnchors) {
    const Config config = accepted("jobs:\n  a: &slow { timeout: 1h }\n  b: *slow\n");

    EXPECT_EQ(config.jobs.at("a").policy.timeout, 1h);
    EXPECT_EQ(config.jobs.at("b").policy.timeout, 1h);
}

}  // namespace
}  // namespace jobhost::config
