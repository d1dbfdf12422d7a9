// `run --until-empty`: what it waits for, and what it says that it leaves.
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/process/jobhost_process.h"

namespace jobhost::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kLedgerA = LEDGER_PLUGINS "/ledger_a.so";
constexpr const char* kRetryAtOnce = "retry: { initial_delay: 0 }\n";

class UntilEmpty : public ::testing::Test {
protected:
    void SetUp() override { site_.add_service("a", {kLedgerA}, kRetryAtOnce); }

    /// A host of `a` with this job in its hands.
    pid_t start_with(const std::string& id) {
        const pid_t host = site_.start("a");
        EXPECT_TRUE(site_.reaches("a", id, "processing"));
        EXPECT_TRUE(eventually([&] { return site_.ledger_lines("run").size() == 1; }));
        return host;
    }

    Site site_;
};

TEST_F(UntilEmpty, FinishesTheJobOfANodeThatWasKilledJustBefore) {
    const std::string id = site_.enqueue("a", {"a.work", "--input", "{\"ms\":1500}"});
    site_.kill(start_with(id));

    const Finished run = site_.command("a", {"run", "--until-empty"});

    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(site_.state("a", id), "succeeded");
    EXPECT_EQ(site_.ledger_lines("run").size(), 2U);
    EXPECT_EQ(site_.ledger_lines("done").size(), 1U);
    EXPECT_THAT(run.out, HasSubstr("left for later or for others: nothing"));
}

TEST_F(UntilEmpty, HandlesTheDeadLetterOfANodeThatWasKilledOnTheLastAttempt) {
    const std::string id =
        site_.enqueue("a", {"a.work", "--input", "{\"ms\":60000}", "--max-attempts", "1"});
    site_.kill(start_with(id));

    const Finished run = site_.command("a", {"run", "--until-empty"});

    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(site_.state("a", id), "failed");
    EXPECT_THAT(site_.ledger_lines("dead"),
                ElementsAre("dead " + id + " jobhost::OrphanedJobError"));
}

TEST_F(UntilEmpty, WaitsForANodeThatIsOnlySilentUntilItCountsAsDead) {
    site_.add_service("a", {kLedgerA},
                      std::string(kRetryAtOnce) + "heartbeat: { interval: 200ms, timeout: 2s }\n");
    const std::string id = site_.enqueue("a", {"a.work", "--input", "{\"ms\":1000}"});
    site_.signal(start_with(id), SIGSTOP);

    const Finished run = site_.command("a", {"run", "--until-empty"});

    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(site_.state("a", id), "succeeded");
    EXPECT_EQ(site_.ledger_lines("run").size(), 2U);
}

TEST_F(UntilEmpty, LeavesWhatALiveNodeRuns) {
    const std::string id = site_.enqueue("a", {"a.work", "--input", "{\"ms\":60000}"});
    start_with(id);
    const auto begin = std::chrono::steady_clock::now();

    const Finished run = site_.command("a", {"run", "--until-empty"});

    EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("1 job run by other nodes"));
    EXPECT_EQ(site_.state("a", id), "processing");
}

TEST_F(UntilEmpty, SaysEverythingThatItLeaves) {
    site_.add_service("a", {kLedgerA}, "queues: [ { name: default }, { name: held } ]\n");
    site_.enqueue("a", {"a.work", "--delay", "1h"});
    site_.enqueue("a", {"a.work", "--queue", "held"});
    site_.enqueue("a", {"a.work", "--queue", "held"});
    site_.enqueue("a", {"a.work", "--queue", "nobody.works.here"});
    site_.enqueue("a", {"b.work"});
    ASSERT_EQ(site_.command("a", {"queues", "pause", "held"}).exit_code, 0);

    const Finished run = site_.command("a", {"run", "--until-empty"});
    const nlohmann::json left = site_.json("a", {"run", "--until-empty"});

    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.out,
              "nothing is left to do now; left for later or for others: 1 job for a later run_at, "
              "2 jobs held back by a pause, 1 job of types that this node has not loaded, 1 job in "
              "queues that this node does not work on\n");
    EXPECT_EQ(left, nlohmann::json({{"later", 1},
                                    {"paused", 2},
                                    {"elsewhere", 0},
                                    {"other_types", 1},
                                    {"other_queues", 1}}));
}

}  // namespace
}  // namespace jobhost::test
