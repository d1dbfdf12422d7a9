#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <jobhost/testing.hpp>

namespace {

using jobhost::testing::Outcome;
using jobhost::testing::PluginUnderTest;
using jobhost::testing::RunResult;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Reliability : public ::testing::Test {
protected:
    PluginUnderTest plugin_{jobhost_plugin_v1};
};

TEST_F(Reliability, LeavesEveryPolicyButDoNotRetryToYaml) {
    for (std::size_t i = 0; i < plugin_.tables().n_job_types; ++i) {
        const jobhost_job_type& type = *plugin_.tables().job_types[i];
        EXPECT_EQ(type.retry->max_attempts, -1);
        EXPECT_EQ(type.retry->initial_delay_us, -1);
        EXPECT_EQ(type.timeout_us, -1);
    }
}

TEST_F(Reliability, FlakyFailsTwiceAndThenSucceeds) {
    EXPECT_EQ(plugin_.run("demo.flaky", {.attempt = 1}).outcome, Outcome::kFailed);
    EXPECT_EQ(plugin_.run("demo.flaky", {.attempt = 2}).outcome, Outcome::kFailed);
    EXPECT_EQ(plugin_.run("demo.flaky", {.attempt = 3}).outcome, Outcome::kSucceeded);
}

TEST_F(Reliability, CheckpointResumesAfterTheStepItFailedAt) {
    const RunResult first = plugin_.run("demo.checkpoint", {.attempt = 1});
    ASSERT_EQ(first.outcome, Outcome::kFailed);
    EXPECT_THAT(first.checkpoints, ElementsAre("1", "2", "3"));

    const RunResult second =
        plugin_.run("demo.checkpoint", {.attempt = 2, .checkpoint = first.checkpoints.back()});

    EXPECT_EQ(second.outcome, Outcome::kSucceeded) << second;
    EXPECT_THAT(second.checkpoints, ElementsAre("4", "5"));
    EXPECT_TRUE(second.logged("resuming after step 3"));
    EXPECT_EQ(second.progress.back().percent, 100);
}

TEST_F(Reliability, CheckpointRunsThroughOnALaterAttemptWithoutACheckpoint) {
    EXPECT_TRUE(plugin_.run("demo.checkpoint", {.attempt = 2}).succeeded());
}

TEST_F(Reliability, InvalidThrowsAnErrorThatIsNotRetried) {
    const RunResult result = plugin_.run("demo.invalid");
    const jobhost_job_type& type = plugin_.job_type("demo.invalid");

    EXPECT_TRUE(result.error.value().is<std::invalid_argument>());
    EXPECT_THAT(jobhost::detail::views(type.do_not_retry, type.n_do_not_retry),
                ElementsAre("std::invalid_argument"));
}

TEST_F(Reliability, SleepStopsWhenItIsCancelled) {
    EXPECT_TRUE(plugin_.run("demo.sleep", {.input = R"({"ms": 60000})"}).succeeded());
    EXPECT_EQ(plugin_
                  .run("demo.sleep",
                       {.input = R"({"ms": 60000})", .cancel = jobhost::CancelReason::kShutdown})
                  .outcome,
              Outcome::kCancelled);
}

TEST_F(Reliability, StubbornDoesNotEvenLook) {
    const RunResult result = plugin_.run(
        "demo.stubborn", {.input = R"({"ms": 1})", .cancel = jobhost::CancelReason::kShutdown});

    EXPECT_TRUE(result.succeeded());
    EXPECT_EQ(result.looks, 0);
}

TEST_F(Reliability, CrashRefusesAnUnknownWay) {
    const RunResult result = plugin_.run("demo.crash", {.input = R"({"how": "politely"})"});

    EXPECT_EQ(result.error.value().type, "jobhost::PayloadError");
}

TEST_F(Reliability, NoopSucceeds) {
    EXPECT_TRUE(plugin_.run("demo.noop").succeeded());
}

TEST(ReliabilityDeadLetter, AppendsOneLineToTheFileInTheSettings) {
    std::string folder = (std::filesystem::temp_directory_path() / "jobhost-XXXXXX").string();
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    const std::string path = folder + "/letters.txt";
    {
        const PluginUnderTest plugin(jobhost_plugin_v1, R"({"dead_letter_file": ")" + path + "\"}");
        for (int i = 0; i < 2; ++i) {
            const RunResult result =
                plugin.run_dead_letter("demo.deadletter", std::runtime_error("by design"),
                                       {.attempt = 3, .reason = "exhausted", .id = 42});
            EXPECT_TRUE(result.succeeded()) << result;
        }
    }
    std::ifstream file(path);
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    std::filesystem::remove_all(folder);

    const std::string line =
        "job 42 (demo.deadletter) failed after 3 attempts, exhausted: std::runtime_error: by "
        "design\n";
    EXPECT_EQ(text, line + line);
}

TEST(ReliabilityDeadLetter, OnlyLogsWithoutTheSetting) {
    const PluginUnderTest plugin(jobhost_plugin_v1);

    const RunResult result = plugin.run_dead_letter("demo.deadletter", std::runtime_error("x"));

    EXPECT_TRUE(result.succeeded()) << result;
    EXPECT_TRUE(result.logged("demo.deadletter"));
}

TEST(ReliabilityDeadLetter, FailsWhenTheFileCannotBeWritten) {
    const PluginUnderTest plugin(jobhost_plugin_v1,
                                 R"({"dead_letter_file": "/nonexistent/letters.txt"})");

    const RunResult result = plugin.run_dead_letter("demo.deadletter", std::runtime_error("x"));

    EXPECT_THAT(result.error.value().message, HasSubstr("/nonexistent/letters.txt"));
}

}  // namespace
