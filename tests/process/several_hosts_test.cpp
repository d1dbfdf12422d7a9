// Several hosts on one store: death, and services that share it.
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/process/jobhost_process.h"

namespace jobhost::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kLedgerA = LEDGER_PLUGINS "/ledger_a.so";
#if defined(JOBHOST_SANITIZED)
constexpr auto kRunsAgain = 10s;
#else
constexpr auto kRunsAgain = 2s;  // 1 s, and what a busy machine adds
#endif
constexpr const char* kLedgerB = LEDGER_PLUGINS "/ledger_b.so";

class SeveralHosts : public ::testing::Test {
protected:
    void SetUp() override {
        site_.add_service("a", {kLedgerA});
        site_.add_service("b", {kLedgerB});
    }

    Site site_;
};

TEST_F(SeveralHosts, AJobOfAKilledNodeRunsAgainElsewhereWithinASecond) {
    const std::string id = site_.enqueue("a", {"a.work", "--input", "{\"ms\":1000}"});
    const pid_t first = site_.start("a");
    ASSERT_TRUE(site_.reaches("a", id, "processing"));
    site_.start("a");

    site_.kill(first);

    ASSERT_TRUE(eventually([&] { return site_.ledger_lines("run").size() == 2; }, kRunsAgain));
    ASSERT_TRUE(site_.reaches("a", id, "succeeded"));
    EXPECT_EQ(site_.json("a", {"jobs", "show", id}).at("attempts"), 2);
}

TEST_F(SeveralHosts, AnExhaustedOrphanWaitsForItsOwnServiceAndIsHandledThereOnce) {
    const std::string id =
        site_.enqueue("a", {"a.work", "--input", "{\"ms\":60000}", "--max-attempts", "1"});
    const std::string other = site_.enqueue("b", {"b.work", "--input", "{}"});
    const pid_t a = site_.start("a");
    ASSERT_TRUE(site_.reaches("a", id, "processing"));
    site_.start("b");

    site_.kill(a);

    // B is alive and working, and has declared A's node dead.
    ASSERT_TRUE(site_.reaches("b", other, "succeeded"));
    std::string why;
    eventually([&] {
        why = site_.command("b", {"why", id}).out;
        return why.find("orphaned") != std::string::npos;
    });
    EXPECT_THAT(why, HasSubstr("waits for service a"));
    EXPECT_EQ(site_.state("b", id), "processing");
    EXPECT_THAT(site_.ledger_lines("dead"), IsEmpty());

    site_.start("a");

    ASSERT_TRUE(site_.reaches("a", id, "failed"));
    const auto job = site_.json("a", {"jobs", "show", id});
    EXPECT_EQ(job.at("reason"), "orphaned");
    EXPECT_EQ(job.at("last_error").at("type"), "jobhost::OrphanedJobError");
    ASSERT_TRUE(site_.dead_letters_end("a"));
    EXPECT_THAT(site_.ledger_lines("dead"),
                ::testing::ElementsAre("dead " + id + " jobhost::OrphanedJobError"));
}

TEST_F(SeveralHosts, AHostClaimsOnlyTheTypesItHasLoaded) {
    const std::string id = site_.enqueue("b", {"a.work", "--input", "{}"});
    site_.start("b");
    const std::string own = site_.enqueue("b", {"b.work", "--input", "{}"});
    ASSERT_TRUE(site_.reaches("b", own, "succeeded"));

    EXPECT_EQ(site_.state("b", id), "enqueued");
    EXPECT_THAT(site_.command("b", {"why", id}).out, HasSubstr("no live node"));

    site_.start("a");
    EXPECT_TRUE(site_.reaches("a", id, "succeeded"));
}

TEST_F(SeveralHosts, APausedNodeThatWakesUpAfterItsJobWasTakenChangesNothing) {
    const std::string beats = "heartbeat: { interval: 200ms, timeout: 1s }";
    site_.add_service("a", {kLedgerA}, beats);
    const std::string id = site_.enqueue("a", {"a.work", "--input", "{\"ms\":3000}"});
    const pid_t first = site_.start("a");
    ASSERT_TRUE(site_.reaches("a", id, "processing"));
    site_.signal(first, SIGSTOP);
    site_.start("a");

    ASSERT_TRUE(eventually([&] { return site_.ledger_lines("run").size() == 2; }));
    site_.signal(first, SIGCONT);

    ASSERT_TRUE(site_.reaches("a", id, "succeeded"));
    EXPECT_EQ(site_.json("a", {"jobs", "show", id}).at("fence"), 2);
    EXPECT_EQ(site_.json("a", {"jobs", "show", id}).at("attempts"), 2);
    // The one that was paused goes on as a new node.
    const std::string next = site_.enqueue("a", {"a.work", "--input", "{}"});
    EXPECT_TRUE(site_.reaches("a", next, "succeeded"));
    EXPECT_EQ(site_.integrity(), "ok");
}

}  // namespace
}  // namespace jobhost::test
