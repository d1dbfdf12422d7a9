#include "host/settings_from_config.h"

#include <gtest/gtest.h>

namespace jobhost {
namespace {

using namespace std::chrono_literals;

config::Config full_config() {
    config::Config config;
    config.service = "payments";
    config.node_name = "node-7";
    config.storage.url = "sqlite:///var/lib/jobs.db";
    config.storage.synchronous = config::StorageSynchronous::kNormal;
    config.heartbeat = {.interval = 2s, .timeout = 9s};
    config.shutdown = {.grace = 3s, .cancel = 4s};
    config.dead_letter = {
        .delivery = config::DeadLetterDelivery::kAtLeastOnce, .timeout = 7min, .workers = 9};
    config.retention = {.succeeded = 1h, .failed = 2h, .expired = 3h, .cancelled = 4h, .keys = 5h};
    config.limits = {.max_input_bytes = 4096, .max_snoozes = 11};
    return config;
}

TEST(EngineSettings, TakeEveryFieldOfTheConfiguration) {
    const EngineSettings settings = engine_settings(full_config(), "1.2.3");

    EXPECT_EQ(settings.service, "payments");
    EXPECT_EQ(settings.node_name, "node-7");
    EXPECT_EQ(settings.version, "1.2.3");
    EXPECT_EQ(settings.beat_interval, Duration(2s));
    EXPECT_EQ(settings.beat_timeout, Duration(9s));
    EXPECT_EQ(settings.shutdown_grace, Duration(3s));
    EXPECT_EQ(settings.shutdown_cancel, Duration(4s));
    EXPECT_EQ(settings.dead_letter_timeout, Duration(7min));
    EXPECT_EQ(settings.dead_letter_workers, 9);
    EXPECT_EQ(settings.max_snoozes, 11);
    EXPECT_EQ(settings.max_input_bytes, 4096u);
    EXPECT_EQ(settings.retention.succeeded, Duration(1h));
    EXPECT_EQ(settings.retention.failed, Duration(2h));
    EXPECT_EQ(settings.retention.expired, Duration(3h));
    EXPECT_EQ(settings.retention.cancelled, Duration(4h));
    EXPECT_EQ(settings.retention.keys, Duration(5h));
    EXPECT_EQ(settings.global.at_least_once, true);
}

TEST(EngineSettings, TakeEveryFieldOfAPolicy) {
    config::Config config;
    config::Policy& policy = config.policy;
    policy.retry.values = {.max_attempts = 5,
                           .initial_delay = 30s,
                           .multiplier = 3.0,
                           .max_delay = 1h,
                           .delay = "slowly",
                           .retry_for = 24h,
                           .where = "jobhost.yaml:4"};
    policy.retry.do_not_retry = {"A", "B"};
    policy.retry.retry_payload_errors = true;
    policy.retry.on = {{.error = "HttpError", .values = {.max_attempts = 20}}};
    policy.timeout = 10min;

    const PolicyLevel level = engine_settings(config, "1").global;

    EXPECT_EQ(level.origin, "top level, jobhost.yaml:4");
    EXPECT_EQ(level.retry.max_attempts, 5);
    EXPECT_EQ(level.retry.initial_delay, Duration(30s));
    EXPECT_EQ(level.retry.multiplier, 3.0);
    EXPECT_EQ(level.retry.max_delay, Duration(1h));
    EXPECT_EQ(level.retry.delay, "slowly");
    EXPECT_EQ(level.retry.retry_for, Duration(24h));
    EXPECT_EQ(level.do_not_retry, (std::vector<std::string>{"A", "B"}));
    EXPECT_EQ(level.retry_payload_errors, true);
    ASSERT_EQ(level.on.size(), 1u);
    EXPECT_EQ(level.on[0].type, "HttpError");
    EXPECT_EQ(level.on[0].retry.max_attempts, 20);
    EXPECT_EQ(level.timeout, Duration(10min));
}

TEST(EngineSettings, LeaveUnsetWhatTheFileDoesNotSay) {
    const PolicyLevel level = engine_settings(config::Config(), "1").global;

    EXPECT_EQ(level.origin, "top level");
    EXPECT_EQ(level.retry.max_attempts, std::nullopt);
    EXPECT_EQ(level.timeout, std::nullopt);
    EXPECT_EQ(level.retry_payload_errors, std::nullopt);
    EXPECT_EQ(level.at_least_once, std::nullopt);
}

TEST(EngineSettings, TakeQueuesAndJobTypesWithTheirPlaceInTheFile) {
    config::Config config;
    config::QueueConfig queue{.name = "critical", .workers = 4, .where = "f.yaml:2"};
    queue.policy.retry.values.max_attempts = 7;
    config.queues = {queue};
    config::JobTypeConfig type{.dead_letter_delivery = config::DeadLetterDelivery::kAtMostOnce,
                               .where = "f.yaml:9"};
    type.policy.timeout = 1min;
    type.policy.timeout_where = "f.yaml:10";
    config.jobs["mail.send"] = type;

    const EngineSettings settings = engine_settings(config, "1");

    ASSERT_EQ(settings.queues.size(), 1u);
    EXPECT_EQ(settings.queues[0].name, "critical");
    EXPECT_EQ(settings.queues[0].workers, 4);
    EXPECT_EQ(settings.queues[0].policy.retry.max_attempts, 7);
    EXPECT_EQ(settings.queues[0].policy.origin, "queue critical, f.yaml:2");
    EXPECT_EQ(settings.queues[0].policy.at_least_once, std::nullopt);
    ASSERT_EQ(settings.jobs.size(), 1u);
    EXPECT_EQ(settings.jobs[0].first, "mail.send");
    EXPECT_EQ(settings.jobs[0].second.origin, "jobs.mail.send, f.yaml:10");
    EXPECT_EQ(settings.jobs[0].second.timeout, Duration(1min));
    EXPECT_EQ(settings.jobs[0].second.at_least_once, false);
}

TEST(EngineSettings, UseTheHostsNameForANodeWithoutName) {
    EXPECT_FALSE(engine_settings(config::Config(), "1").node_name.empty());
}

TEST(StoreOptionsFromConfig, TakeEveryField) {
    const StoreOptions options = store_options(full_config());

    EXPECT_EQ(options.url, "sqlite:///var/lib/jobs.db");
    EXPECT_FALSE(options.synchronous_full);
    EXPECT_EQ(options.max_input_bytes, 4096u);
    EXPECT_TRUE(store_options(config::Config()).synchronous_full);
}

TEST(LogOptionsFromConfig, TakeEveryField) {
    config::Config config;
    config.log = {.level = config::LogLevel::kWarn,
                  .format = config::LogFormat::kJson,
                  .file = "/var/log/jobhost.log"};

    const LogOptions options = log_options(config);

    EXPECT_EQ(options.level, LogLevel::kWarning);
    EXPECT_EQ(options.format, LogFormat::kJson);
    EXPECT_EQ(options.file, "/var/log/jobhost.log");
    EXPECT_EQ(log_options(config::Config()).file, "");
}

TEST(PluginOptionsFromConfig, TakeEveryField) {
    config::Config config;
    config.node_name = "node-7";
    config.plugins = {.directories = {"/a", "/b"},
                      .load = {{.path = "/p/x.so", .sha256 = "ab", .settings_json = "{\"k\":1}"}},
                      .allow_insecure = true};

    const PluginOptions options = plugin_options(config, "1.2.3");

    EXPECT_EQ(options.directories, (std::vector<std::filesystem::path>{"/a", "/b"}));
    ASSERT_EQ(options.load.size(), 1u);
    EXPECT_EQ(options.load[0].path, "/p/x.so");
    EXPECT_EQ(options.load[0].sha256, "ab");
    EXPECT_EQ(options.load[0].settings_json, "{\"k\":1}");
    EXPECT_TRUE(options.allow_insecure);
    EXPECT_EQ(options.node, "node-7");
    EXPECT_EQ(options.version, "1.2.3");
}

}  // namespace
}  // namespace jobhost
