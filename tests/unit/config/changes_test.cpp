#include "config/changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/config/parse.h"

namespace jobhost::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// What a reload from one text to the other says.
Changes changed(const std::string& before, const std::string& after) {
    return changes(accepted(before), accepted(after));
}

std::string live(const std::string& before, const std::string& after) {
    std::string text;
    for (const Change& change : changed(before, after).live) {
        text += change.key + ": " + change.before + " -> " + change.after + '\n';
    }
    return text;
}

TEST(Changes, ThereAreNoneWhereOnlyTheLayoutOfTheFileDiffers) {
    const std::string plugin = "plugins: { load: [ { path: /p.so } ] }\n";
    const Changes found = changed(plugin + "retry: { max_attempts: 5 }\n",
                                  "# a comment\nretry:\n  max_attempts: 5\n" + plugin);
    EXPECT_THAT(found.live, IsEmpty());
    EXPECT_THAT(found.needs_restart, IsEmpty());
}

TEST(Changes, NameTheKeyTheOldAndTheNewValue) {
    EXPECT_EQ(live("timeout: 10m\n", "timeout: 90s\n"), "timeout: 10m -> 90s\n");
    EXPECT_EQ(live("retry: { initial_delay: 1s, multiplier: 2.0 }\n",
                   "retry: { initial_delay: 1s, multiplier: 2.5 }\n"),
              "retry.multiplier: 2 -> 2.5\n");
    EXPECT_EQ(live("log: { level: info }\n", "log: { level: debug }\n"),
              "log.level: info -> debug\n");
}

TEST(Changes, TellNotSetFromTheDefault) {
    EXPECT_EQ(live("", "retry: { max_attempts: 10 }\n"), "retry.max_attempts: not set -> 10\n");
    EXPECT_EQ(live("timeout: 0\n", ""), "timeout: 0s -> not set\n");
}

TEST(Changes, ShowQueuesThatComeAndGo) {
    EXPECT_EQ(live("queues: [ { name: a, workers: 1 }, { name: b, workers: 2 } ]\n",
                   "queues: [ { name: b, workers: 3 }, { name: c, workers: 4 } ]\n"),
              "queues.a.workers: 1 -> not set\n"
              "queues.b.workers: 2 -> 3\n"
              "queues.c.workers: not set -> 4\n");
}

TEST(Changes, ShowEveryPartOfAPolicy) {
    EXPECT_EQ(live("",
                   "jobs:\n  pay:\n    timeout: 5m\n    dead_letter: { delivery: at_least_once }\n"
                   "    retry:\n      retry_for: 2d\n      do_not_retry: [A, B]\n"
                   "      on: { HttpError: { max_attempts: 20 } }\n"),
              "jobs.pay.dead_letter.delivery: not set -> at_least_once\n"
              "jobs.pay.retry.do_not_retry: not set -> [A, B]\n"
              "jobs.pay.retry.on.HttpError: not set -> set\n"
              "jobs.pay.retry.on.HttpError.max_attempts: not set -> 20\n"
              "jobs.pay.retry.retry_for: not set -> 2d\n"
              "jobs.pay.timeout: not set -> 5m\n");
}

TEST(Changes, OnlyNameWhatNeedsARestartBecauseItMayBeSecret) {
    const Changes found =
        changed("service: a\nplugins: { load: [ { path: /p.so, settings: { token: old } } ] }\n",
                "service: b\nplugins: { load: [ { path: /p.so, settings: { token: new } } ] }\n"
                "heartbeat: { interval: 1s, timeout: 9s }\nlog: { file: /x.log }\nnode: n\n"
                "limits: { max_input_bytes: 2MiB }\n");

    EXPECT_THAT(found.live, IsEmpty());
    EXPECT_THAT(found.needs_restart, ElementsAre("heartbeat", "limits.max_input_bytes", "log.file",
                                                 "node", "plugins.load", "service"));
}

TEST(LiveParts, AreTakenOverAndTheRestStaysAsItRuns) {
    const Config running = accepted("service: a\nheartbeat: { interval: 1s, timeout: 9s }\n");
    const Config wanted =
        accepted("service: b\ntimeout: 1m\nqueues: [ { name: x } ]\nlimits: { max_snoozes: 3 }\n");

    const Config merged = with_live_parts(running, wanted);

    EXPECT_EQ(merged.service, "a");
    EXPECT_EQ(merged.heartbeat, running.heartbeat);
    EXPECT_EQ(merged.policy, wanted.policy);
    EXPECT_EQ(merged.queues, wanted.queues);
    EXPECT_EQ(merged.limits.max_snoozes, 3);
    EXPECT_THAT(changes(merged, wanted).live, IsEmpty());
}

TEST(Changes, EveryPartOfTheConfigurationIsEitherLiveOrNeedsARestart) {
    // What is taken over is what is reported as live, and the other way round.
    const Config running = accepted("");
    const Config wanted = accepted(
        "shutdown: { grace: 1s, cancel: 2s }\nretention: { succeeded: 1d, failed: 2d }\n"
        "dead_letter: { workers: 9, timeout: 1m, delivery: at_least_once }\n"
        "log: { format: json }\n");
    const Config merged = with_live_parts(running, wanted);

    EXPECT_THAT(changes(merged, wanted).live, IsEmpty());
    EXPECT_EQ(changes(running, merged), changes(running, wanted));
    EXPECT_EQ(changes(running, wanted).live.size(), 9U);
}

}  // namespace
}  // namespace jobhost::config
