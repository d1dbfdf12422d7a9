// The configuration of a running host, read again.
#include <csignal>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/process/jobhost_process.h"

namespace jobhost::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr const char* kReliability = JOBHOST_PLUGINS "/reliability.so";

class ReloadTest : public ::testing::Test {
protected:
    void write_config(const std::string& rest) { site_.add_service("a", {kReliability}, rest); }

    /// One character more than YAML and the schema allow.
    void spoil_config() {
        std::ofstream(site_.folder() / "a.yaml", std::ios::app) << "\nworkers: 3\n";
    }

    std::string max_attempts_on_node() {
        return site_.json("a", {"explain", "demo.flaky", "--node", "1"})
            .at("policy")
            .at("max_attempts")
            .at("value")
            .dump();
    }

    Site site_;
};

TEST_F(ReloadTest, AChangeIsInForceSaidToTheOperatorAndInTheLog) {
    write_config("retry: { max_attempts: 4 }");
    const pid_t host = site_.start("a");
    EXPECT_EQ(max_attempts_on_node(), "4");

    write_config("retry: { max_attempts: 7 }");
    const Finished reload = site_.command("a", {"reload", "--node", "1"});

    EXPECT_EQ(reload.exit_code, 0) << reload.err;
    EXPECT_THAT(reload.out, HasSubstr("retry.max_attempts: 4 -> 7"));
    EXPECT_EQ(max_attempts_on_node(), "7");
    EXPECT_THAT(read_file(site_.log_file(host)), HasSubstr("reload: retry.max_attempts: 4 -> 7"));
}

TEST_F(ReloadTest, WhatNeedsARestartIsNamedAndLeft) {
    write_config("heartbeat: { interval: 1s, timeout: 9s }");
    const pid_t host = site_.start("a");

    write_config("heartbeat: { interval: 2s, timeout: 9s }\ntimeout: 5m");
    const auto answer = site_.json("a", {"reload"}).at("items").at(0);

    EXPECT_EQ(answer.at("reloaded"), true);
    EXPECT_EQ(answer.at("needs_restart"), nlohmann::json({"heartbeat"}));
    EXPECT_EQ(answer.at("changes").size(), 1U);
    EXPECT_THAT(read_file(site_.log_file(host)),
                HasSubstr("a restart is needed for changes of heartbeat"));
}

TEST_F(ReloadTest, ABadFileChangesNothingAndSaysWhere) {
    write_config("retry: { max_attempts: 4 }");
    const pid_t host = site_.start("a");

    write_config("retry: { max_attempts: 7 }");
    spoil_config();
    site_.signal(host, SIGHUP);

    ASSERT_TRUE(eventually([&] {
        return read_file(site_.log_file(host)).find("nothing has changed, since") !=
               std::string::npos;
    }));
    EXPECT_THAT(read_file(site_.log_file(host)), HasSubstr("a.yaml:"));
    EXPECT_THAT(read_file(site_.log_file(host)), HasSubstr("workers: unknown key"));
    write_config("retry: { max_attempts: 4 }");
    EXPECT_EQ(max_attempts_on_node(), "4");
}

TEST_F(ReloadTest, AnUnknownDelayFunctionIsRefusedAsAtTheStart) {
    write_config("");
    site_.start("a");
    write_config("retry: { delay: nobodys }");

    const Finished reload = site_.command("a", {"reload"});

    EXPECT_EQ(reload.exit_code, 1);
    EXPECT_THAT(reload.err, HasSubstr("no loaded plugin exports a delay function named nobodys"));
}

TEST_F(ReloadTest, WithoutALiveNodeItSaysSo) {
    write_config("");
    const pid_t host = site_.start("a");
    site_.kill(host);

    const Finished reload = site_.command("a", {"reload"});

    EXPECT_EQ(reload.exit_code, 3);
    EXPECT_THAT(reload.err, HasSubstr("no live node of service"));
}

TEST_F(ReloadTest, AStoppedNodeIsNotWaitedForLongerThanAsked) {
    write_config("");
    const pid_t host = site_.start("a");
    site_.signal(host, SIGSTOP);

    const Finished reload = site_.command("a", {"reload", "--wait", "300ms"});
    site_.signal(host, SIGCONT);

    EXPECT_EQ(reload.exit_code, 1);
    EXPECT_THAT(reload.err, HasSubstr("no answer within 300 ms"));
}

TEST_F(ReloadTest, ExplainOfANodeAnswersForWhatIsInForceThereAndNotForTheFile) {
    write_config("timeout: 5m");
    site_.start("a");
    write_config("timeout: 9m");

    const Finished node = site_.command("a", {"explain", "demo.flaky", "--node", "1"});
    const Finished file = site_.command("a", {"explain", "demo.flaky"});

    EXPECT_THAT(node.out, HasSubstr("as in force on node 1"));
    EXPECT_THAT(node.out, HasSubstr("5m"));
    EXPECT_THAT(file.out, HasSubstr("9m"));
    const Finished unknown = site_.command("a", {"explain", "nobodys.type", "--node", "1"});
    EXPECT_EQ(unknown.exit_code, 3);
    EXPECT_THAT(unknown.err, HasSubstr("no plugin has the type nobodys.type"));
}

TEST_F(ReloadTest, AHundredGoodAndBadOnesUnderLoadLoseAndRepeatNoJob) {
    write_config("queues: [ { name: default, workers: 2 } ]");
    site_.add_service("operator", {kReliability});  // whose file is always whole
    const pid_t host = site_.start("a");
    constexpr int kRounds = 100;
    constexpr int kJobsARound = 50;
    std::string batch;
    for (int i = 0; i < kJobsARound; ++i) batch += "{\"type\":\"demo.noop\"}\n";

    for (int round = 0; round < kRounds; ++round) {
        const bool is_good = round % 2 == 0;
        ASSERT_EQ(site_.command("operator", {"enqueue", "--bulk"}, batch).exit_code, 0);
        write_config("queues: [ { name: default, workers: " + std::to_string(1 + round % 8) +
                     " } ]");
        if (!is_good) spoil_config();
        EXPECT_EQ(site_.command("operator", {"reload", "--node", "1"}).exit_code, is_good ? 0 : 1);
    }

    ASSERT_TRUE(eventually(
        [&] {
            return site_.sql("SELECT count(*) FROM done WHERE state = 4") ==
                   std::to_string(kRounds * kJobsARound);
        },
        60s));
    EXPECT_EQ(site_.sql("SELECT count(*) FROM done WHERE attempts <> 1"), "0");
    EXPECT_EQ(site_.integrity(), "ok");
    site_.signal(host, SIGTERM);
    EXPECT_EQ(site_.wait(host, 20s), 0);
}

}  // namespace
}  // namespace jobhost::test
