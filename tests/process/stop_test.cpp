// SIGTERM: nothing is lost, no attempt is used, and the process always ends.
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/process/jobhost_process.h"

namespace jobhost::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kReliability = JOBHOST_PLUGINS "/reliability.so";

class Stop : public ::testing::Test {
protected:
    void add_service(const std::string& shutdown) {
        site_.add_service("a", {kReliability}, "shutdown: " + shutdown);
    }
    nlohmann::json show(const std::string& id) { return site_.json("a", {"jobs", "show", id}); }

    Site site_;
};

TEST_F(Stop, ARunningJobMayFinishWithinTheGrace) {
    add_service("{ grace: 20s, cancel: 5s }");
    const std::string id = site_.enqueue("a", {"demo.sleep", "--input", "{\"ms\":700}"});
    const pid_t host = site_.start("a");
    ASSERT_TRUE(site_.reaches("a", id, "processing"));

    site_.signal(host, SIGTERM);

    EXPECT_EQ(site_.wait(host, 20s), 0);
    EXPECT_EQ(site_.state("a", id), "succeeded");
}

TEST_F(Stop, AJobThatOutlastsTheGraceIsInterruptedAndKeepsItsAttempt) {
    add_service("{ grace: 100ms, cancel: 10s }");
    const std::string id = site_.enqueue("a", {"demo.sleep", "--input", "{\"ms\":60000}"});
    const pid_t host = site_.start("a");
    ASSERT_TRUE(site_.reaches("a", id, "processing"));

    site_.signal(host, SIGTERM);

    EXPECT_EQ(site_.wait(host, 20s), 0);
    const auto job = show(id);
    EXPECT_EQ(job.at("state"), "enqueued");
    EXPECT_EQ(job.at("attempts"), 0);
}

TEST_F(Stop, AJobThatIgnoresTheRequestIsGivenBackAndTheProcessEndsAllTheSame) {
    add_service("{ grace: 100ms, cancel: 200ms }");
    const std::string id = site_.enqueue("a", {"demo.stubborn", "--input", "{\"ms\":60000}"});
    const pid_t host = site_.start("a");
    ASSERT_TRUE(site_.reaches("a", id, "processing"));

    site_.signal(host, SIGTERM);

    EXPECT_EQ(site_.wait(host, 20s), 0);
    const auto job = show(id);
    EXPECT_EQ(job.at("state"), "enqueued");
    EXPECT_EQ(job.at("attempts"), 0);
    EXPECT_TRUE(site_.json("a", {"nodes"}).at("items").empty() ||
                site_.json("a", {"nodes"}).at("items")[0].at("state") != "live");
}

TEST_F(Stop, ASecondSignalSkipsTheGrace) {
    add_service("{ grace: 100s, cancel: 10s }");
    const std::string id = site_.enqueue("a", {"demo.sleep", "--input", "{\"ms\":60000}"});
    const pid_t host = site_.start("a");
    ASSERT_TRUE(site_.reaches("a", id, "processing"));

    site_.signal(host, SIGTERM);
    EXPECT_EQ(site_.wait(host, 300ms), std::nullopt);
    site_.signal(host, SIGINT);

    EXPECT_EQ(site_.wait(host, 20s), 0);
    EXPECT_EQ(show(id).at("state"), "enqueued");
}

TEST_F(Stop, AHangupNeverEndsTheHost) {
    add_service("{ grace: 1s }");
    const pid_t host = site_.start("a");

    site_.signal(host, SIGHUP);

    const std::string id = site_.enqueue("a", {"demo.noop"});
    EXPECT_TRUE(site_.reaches("a", id, "succeeded"));
    site_.signal(host, SIGTERM);
    EXPECT_EQ(site_.wait(host, 20s), 0);
}

}  // namespace
}  // namespace jobhost::test
