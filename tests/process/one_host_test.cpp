// One service, one host, real jobs: what an operator sees on the command line.
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "tests/process/jobhost_process.h"

namespace jobhost::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kReliability = JOBHOST_PLUGINS "/reliability.so";
constexpr const char* kLedgerA = LEDGER_PLUGINS "/ledger_a.so";
constexpr const char* kFast = "retry: { initial_delay: 10ms, multiplier: 1, max_attempts: 5 }";

class OneHost : public ::testing::Test {
protected:
    void SetUp() override { site_.add_service("a", {kReliability, kLedgerA}, kFast); }

    nlohmann::json show(const std::string& id) { return site_.json("a", {"jobs", "show", id}); }
    /// `job kind name state` of each dead-letter run, oldest first.
    std::vector<std::string> dead_letters() {
        std::vector<std::string> runs;
        const nlohmann::json list = site_.json("a", {"deadletter", "list"});
        for (const auto& run : list.at("items")) {
            std::string text = run.at("job_id").get<std::string>();
            for (const char* field : {"kind", "name", "state"}) {
                text += ' ' + run.at(field).get<std::string>();
            }
            runs.insert(runs.begin(), text);
        }
        return runs;
    }
    Finished run_until_empty() { return site_.command("a", {"run", "--until-empty"}); }

    Site site_;
};

TEST_F(OneHost, AFlakyJobSucceedsOnItsThirdAttempt) {
    const std::string id = site_.enqueue("a", {"demo.flaky"});
    const pid_t host = site_.start("a");

    ASSERT_TRUE(site_.reaches("a", id, "succeeded"));
    const auto job = show(id);
    EXPECT_EQ(job.at("attempts"), 3);
    EXPECT_EQ(job.at("errors").size(), 2u);
    site_.kill(host);
}

TEST_F(OneHost, ACheckpointedJobResumesAfterTheStepThatWasSaved) {
    const std::string id = site_.enqueue("a", {"demo.checkpoint"});
    const pid_t host = site_.start("a");

    ASSERT_TRUE(site_.reaches("a", id, "succeeded"));
    const auto job = show(id);
    EXPECT_EQ(job.at("attempts"), 2);
    int steps = 0;
    for (const auto& line : job.at("log")) {
        steps += line.at("text").get<std::string>().find("step") != std::string::npos ? 1 : 0;
    }
    EXPECT_GE(steps, 5) << job.at("log").dump();
    site_.kill(host);
}

TEST_F(OneHost, AnExhaustedJobRunsItsDeadLetterHandlerOnce) {
    const std::string id = site_.enqueue("a", {"demo.deadletter", "--max-attempts", "2"});
    const pid_t host = site_.start("a");

    ASSERT_TRUE(site_.reaches("a", id, "failed"));
    const auto job = show(id);
    EXPECT_EQ(job.at("attempts"), 2);
    EXPECT_EQ(job.at("reason"), "exhausted");
    ASSERT_TRUE(site_.dead_letters_end("a"));
    site_.signal(host, SIGTERM);
    EXPECT_EQ(site_.wait(host, 20s), 0);
    EXPECT_THAT(dead_letters(), ElementsAre(id + " handler demo.deadletter succeeded",
                                            id + " forwarder audit-a not_applicable"));
}

TEST_F(OneHost, AnErrorDerivedFromAListedOneIsNotRetried) {
    const std::string id = site_.enqueue("a", {"demo.invalid"});
    const pid_t host = site_.start("a");

    ASSERT_TRUE(site_.reaches("a", id, "failed"));
    const auto job = show(id);
    EXPECT_EQ(job.at("attempts"), 1);
    EXPECT_EQ(job.at("reason"), "must_not_retry");
    EXPECT_THAT(job.at("last_error").at("types").dump(), HasSubstr("std::invalid_argument"));
    EXPECT_THAT(site_.log_of(host), HasSubstr("must not be retried"));
    site_.kill(host);
}

TEST_F(OneHost, UntilEmptyRunsWhatIsDueAndSaysWhatIsLeft) {
    site_.enqueue("a", {"demo.noop"});
    const std::string later = site_.enqueue("a", {"demo.noop", "--delay", "1h"});

    const Finished finished = run_until_empty();

    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_THAT(finished.out, HasSubstr("1 job"));
    EXPECT_EQ(site_.state("a", later), "scheduled");
    const auto done = site_.json("a", {"jobs", "list", "--state", "succeeded"}).at("items");
    EXPECT_EQ(done.size(), 1u);
}

TEST_F(OneHost, UntilEmptyWaitsForTheDeadLetterHandler) {
    const std::string id = site_.enqueue("a", {"demo.deadletter", "--max-attempts", "1"});

    EXPECT_EQ(run_until_empty().exit_code, 0);

    EXPECT_THAT(dead_letters(), ElementsAre(id + " handler demo.deadletter succeeded",
                                            id + " forwarder audit-a not_applicable"));
}

TEST_F(OneHost, TheInputReachesTheStoreByteForByte) {
    const std::string input = "{ \"n\":1e400,  \"big\":18446744073709551615, \"n\":-0.0 }";
    const std::string id = site_.enqueue("a", {"demo.noop", "--input", input});

    const Finished shown = site_.command("a", {"jobs", "show", id, "--json"});

    EXPECT_THAT(shown.out, HasSubstr(input));
}

TEST_F(OneHost, ABulkEnqueueIsAllOrNothingAndNamesTheLine) {
    const std::string lines =
        "{\"type\":\"demo.noop\",\"input\":{\"a\":1}}\n{\"type\":\"demo.noop\",\"input\":}\n";

    const Finished finished = site_.command("a", {"enqueue", "--bulk"}, lines);

    EXPECT_NE(finished.exit_code, 0);
    EXPECT_THAT(finished.err, HasSubstr("2"));
    EXPECT_TRUE(site_.json("a", {"jobs", "list"}).at("items").empty());
}

TEST_F(OneHost, ACancelledRunningJobStopsAndSaysWhoCancelledIt) {
    const std::string id = site_.enqueue("a", {"demo.sleep", "--input", "{\"ms\":60000}"});
    const pid_t host = site_.start("a");
    ASSERT_TRUE(site_.reaches("a", id, "processing"));

    EXPECT_EQ(site_.command("a", {"jobs", "cancel", id}).exit_code, 0);

    EXPECT_TRUE(site_.reaches("a", id, "cancelled", 5s));
    EXPECT_THAT(show(id).at("reason").get<std::string>(), HasSubstr("cancelled by"));
    site_.kill(host);
}

TEST_F(OneHost, APausedQueueStartsNothingUntilItIsResumed) {
    ASSERT_EQ(site_.command("a", {"queues", "pause", "default"}).exit_code, 0);
    const std::string id = site_.enqueue("a", {"demo.noop"});
    const Finished finished = run_until_empty();
    EXPECT_EQ(finished.exit_code, 0);
    EXPECT_THAT(finished.out, HasSubstr("pause"));
    const pid_t host = site_.start("a");
    EXPECT_EQ(site_.state("a", id), "enqueued");
    EXPECT_THAT(site_.command("a", {"why", id}).out, HasSubstr("paused"));

    ASSERT_EQ(site_.command("a", {"queues", "resume", "default"}).exit_code, 0);

    EXPECT_TRUE(site_.reaches("a", id, "succeeded"));
    site_.kill(host);
}

TEST_F(OneHost, AFailedJobIsRequeuedInPlaceAndKeepsItsErrors) {
    const std::string id = site_.enqueue("a", {"demo.invalid"});
    ASSERT_EQ(run_until_empty().exit_code, 0);
    ASSERT_EQ(site_.state("a", id), "failed");

    EXPECT_EQ(site_.command("a", {"jobs", "requeue", id}).exit_code, 0);

    const auto job = show(id);
    EXPECT_EQ(job.at("state"), "enqueued");
    EXPECT_EQ(job.at("attempts"), 0);
    EXPECT_EQ(job.at("errors").size(), 1u);
}

TEST_F(OneHost, AnIdempotencyKeyNeverMakesTwoLiveJobs) {
    const std::string first = site_.enqueue("a", {"demo.noop", "--idempotency-key", "k"});
    const auto second = site_.json("a", {"enqueue", "demo.noop", "--idempotency-key", "k"});

    EXPECT_EQ(second.at("id"), first);
    EXPECT_EQ(second.at("duplicate"), true);
}

TEST_F(OneHost, AnUnknownJobIsExitThree) {
    site_.enqueue("a", {"demo.noop"});
    EXPECT_EQ(site_.command("a", {"jobs", "show", "999"}).exit_code, 3);
    EXPECT_EQ(site_.command("a", {"why", "999"}).exit_code, 3);
}

TEST_F(OneHost, AJobThatCallsExitEndsTheHostWithStatusSeventyAndALogLine) {
    site_.enqueue("a", {"a.work", "--input", "{\"then\":\"exit\"}", "--max-attempts", "1"});

    const Finished finished = run_until_empty();

    EXPECT_EQ(finished.exit_code, 70);
    EXPECT_THAT(finished.err, HasSubstr("a.work"));
}

TEST_F(OneHost, ACrashSaysWhichJobOfWhichPluginItWas) {
    const std::string id = site_.enqueue("a", {"a.work", "--input", "{\"then\":\"abort\"}"});

    const Finished finished = run_until_empty();

    EXPECT_EQ(finished.exit_code, 128 + SIGABRT);
    EXPECT_THAT(finished.err,
                HasSubstr("crashed in run() of job " + id + " (a.work) with SIGABRT"));
}

TEST_F(OneHost, AJobThatThrowsWhatIsNoExceptionFailsAndTheHostGoesOn) {
    const std::string odd =
        site_.enqueue("a", {"a.work", "--input", "{\"then\":\"int\"}", "--max-attempts", "1"});
    const std::string next = site_.enqueue("a", {"a.work", "--input", "{}"});

    EXPECT_EQ(run_until_empty().exit_code, 0);

    EXPECT_EQ(site_.state("a", odd), "failed");
    EXPECT_EQ(show(odd).at("last_error").at("type"), "int");
    EXPECT_EQ(site_.state("a", next), "succeeded");
}

TEST_F(OneHost, AnInputThatTheTypeCannotReadIsAPayloadErrorThatIsNotRetried) {
    const std::string id = site_.enqueue("a", {"a.work", "--input", "{\"ms\":\"soon\"}"});

    EXPECT_EQ(run_until_empty().exit_code, 0);

    const auto job = show(id);
    EXPECT_EQ(job.at("state"), "failed");
    EXPECT_EQ(job.at("attempts"), 1);
    EXPECT_EQ(job.at("last_error").at("type"), "jobhost::PayloadError");
}

TEST_F(OneHost, ATimeLimitFailsTheAttemptAndTheJobIsRetried) {
    const std::string id = site_.enqueue("a", {"demo.sleep", "--input", "{\"ms\":60000}",
                                               "--timeout", "100ms", "--max-attempts", "2"});

    EXPECT_EQ(run_until_empty().exit_code, 0);
    const pid_t host = site_.start("a");

    EXPECT_TRUE(site_.reaches("a", id, "failed"));
    EXPECT_EQ(show(id).at("last_error").at("type"), "jobhost::TimeoutError");
    EXPECT_EQ(show(id).at("attempts"), 2);
    site_.kill(host);
}

TEST_F(OneHost, ExplainNamesTheLevelOfEachValue) {
    const Finished explained = site_.command("a", {"explain", "demo.flaky"});

    EXPECT_EQ(explained.exit_code, 0) << explained.err;
    EXPECT_THAT(explained.out, HasSubstr("initial_delay"));
    EXPECT_THAT(explained.out, HasSubstr("a.yaml"));
}

}  // namespace
}  // namespace jobhost::test
