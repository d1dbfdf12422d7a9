// kill -9 around dead-letter handling: never twice, unless the configuration asks for it.
#include <algorithm>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/process/jobhost_process.h"

namespace jobhost::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kLedgerA = LEDGER_PLUGINS "/ledger_a.so";

class DeadLetterSite : public ::testing::Test {
protected:
    void deliver(const std::string& delivery) {
        site_.add_service("a", {kLedgerA},
                          "retry: { max_attempts: 1 }\n"
                          "dead_letter: { delivery: " +
                              delivery + ", workers: 1 }");
    }

    std::string enqueue(const std::string& input) {
        return site_.enqueue("a", {"a.work", "--input", input});
    }

    /// Handlers and forwarders that hold do so until `let_go`.
    void hold() { const std::ofstream made{hold_file()}; }
    void let_go() { std::filesystem::remove(hold_file()); }

    bool appears(const std::string& line) {
        const std::string word = line.substr(0, line.find(' '));
        return eventually([&] { return std::ranges::count(site_.ledger_lines(word), line) > 0; });
    }

    /// Of the run with that number in the order of the table.
    std::string run_state(int run) {
        return site_.sql("SELECT state FROM dead_letter WHERE run = " + std::to_string(run));
    }

    /// A new node takes over what the killed one left, in this mode: at most once ends it all at
    /// once, at least once after a back-off of 10 s.
    void next_node_settles() {
        const pid_t next = site_.start("a");
        ASSERT_TRUE(site_.dead_letters_end("a")) << site_.log_of(next);
        site_.signal(next, SIGTERM);
        ASSERT_EQ(site_.wait(next, 20s), 0);
    }

    /// Nothing is left to be done by a third one.
    void nobody_calls_again() {
        const std::string before = read_file(site_.ledger());
        EXPECT_EQ(site_.command("a", {"run", "--until-empty"}).exit_code, 0);
        EXPECT_EQ(read_file(site_.ledger()), before);
        EXPECT_EQ(site_.integrity(), "ok");
    }

    Site site_;

private:
    std::string hold_file() const { return site_.ledger().string() + ".hold"; }
};

/// GetParam: at_least_once.
class DeadLetterCrash : public DeadLetterSite, public ::testing::WithParamInterface<bool> {
protected:
    void SetUp() override { deliver(GetParam() ? "at_least_once" : "at_most_once"); }
};

INSTANTIATE_TEST_SUITE_P(Delivery, DeadLetterCrash, ::testing::Bool(), [](const auto& about) {
    return about.param ? "AtLeastOnce" : "AtMostOnce";
});

constexpr const char* kOwed = "0";
constexpr const char* kStarted = "1";
constexpr const char* kSucceeded = "2";
constexpr const char* kInterrupted = "5";

TEST_P(DeadLetterCrash, BeforeTheCommitOfFailedTheHandlerRunsOnceByTheOrphanPath) {
    const pid_t host = site_.start("a");
    const std::string id = enqueue(R"({"ms": 500, "fail": 9, "forward": "ok"})");
    ASSERT_TRUE(appears("run " + id + " 1 1"));
    {
        const auto no_commit = site_.block_outcomes();
        ASSERT_TRUE(appears("worked " + id));
        site_.kill(host);
    }
    EXPECT_EQ(site_.sql("SELECT count(*) FROM dead_letter"), "0");

    const pid_t watcher = site_.start("a");
    ASSERT_TRUE(site_.reaches("a", id, "failed")) << site_.log_of(watcher);
    ASSERT_TRUE(site_.dead_letters_end("a"));
    site_.kill(watcher);

    EXPECT_THAT(site_.ledger_lines("dead"),
                ElementsAre("dead " + id + " jobhost::OrphanedJobError"));
    EXPECT_THAT(site_.ledger_lines("handled"), SizeIs(1));
    EXPECT_THAT(site_.ledger_lines("forwarded"), SizeIs(1));
    nobody_calls_again();
}

TEST_P(DeadLetterCrash, BetweenTheCommitAndTheHandlerOnlyAtLeastOnceCallsIt) {
    hold();
    const pid_t host = site_.start("a");
    const std::string busy = enqueue(R"({"fail": 9, "handler": "hold"})");
    ASSERT_TRUE(appears("dead " + busy + " std::runtime_error"));
    const std::string id = enqueue(R"({"fail": 9, "forward": "ok"})");
    ASSERT_TRUE(site_.reaches("a", id, "failed"));
    ASSERT_EQ(run_state(3), kOwed);
    ASSERT_EQ(run_state(4), kOwed);
    site_.kill(host);
    let_go();

    next_node_settles();

    const bool again = GetParam();
    EXPECT_EQ(run_state(3), again ? kSucceeded : kInterrupted);
    EXPECT_EQ(run_state(4), again ? kSucceeded : kInterrupted);
    EXPECT_EQ(std::ranges::count(site_.ledger_lines("handled"), "handled " + id), again ? 1 : 0);
    EXPECT_THAT(site_.ledger_lines("forwarded"), SizeIs(again ? 1 : 0));
    nobody_calls_again();
}

TEST_P(DeadLetterCrash, InsideTheHandlerOnlyAtLeastOnceCallsItAgain) {
    hold();
    const pid_t host = site_.start("a");
    const std::string id = enqueue(R"({"fail": 9, "handler": "hold"})");
    ASSERT_TRUE(appears("dead " + id + " std::runtime_error"));
    ASSERT_EQ(run_state(1), kStarted);
    site_.kill(host);
    let_go();

    next_node_settles();

    const bool again = GetParam();
    EXPECT_EQ(run_state(1), again ? kSucceeded : kInterrupted);
    EXPECT_THAT(site_.ledger_lines("dead"), SizeIs(again ? 2 : 1));
    EXPECT_THAT(site_.ledger_lines("handled"), SizeIs(again ? 1 : 0));
    EXPECT_EQ(site_.state("a", id), "failed");
    nobody_calls_again();
}

TEST_P(DeadLetterCrash, InsideAForwarderOnlyAtLeastOnceCallsItAgainAndTheHandlerNever) {
    hold();
    const pid_t host = site_.start("a");
    const std::string id = enqueue(R"({"fail": 9, "forward": "hold"})");
    ASSERT_TRUE(appears("forward " + id));
    ASSERT_EQ(run_state(2), kStarted);
    site_.kill(host);
    let_go();

    next_node_settles();

    const bool again = GetParam();
    EXPECT_EQ(run_state(1), kSucceeded);
    EXPECT_EQ(run_state(2), again ? kSucceeded : kInterrupted);
    EXPECT_THAT(site_.ledger_lines("dead"), SizeIs(1));
    EXPECT_THAT(site_.ledger_lines("forward"), SizeIs(again ? 2 : 1));
    EXPECT_THAT(site_.ledger_lines("forwarded"), SizeIs(again ? 1 : 0));
    nobody_calls_again();
}

TEST_P(DeadLetterCrash, AfterTheHandlersEndIsStoredNobodyIsCalledAgain) {
    const pid_t host = site_.start("a");
    const std::string id = enqueue(R"({"fail": 9, "forward": "ok"})");
    ASSERT_TRUE(site_.reaches("a", id, "failed"));
    ASSERT_TRUE(site_.dead_letters_end("a"));
    site_.kill(host);

    next_node_settles();

    EXPECT_THAT(site_.ledger_lines("dead"), ElementsAre("dead " + id + " std::runtime_error"));
    EXPECT_THAT(site_.ledger_lines("forward"), ElementsAre("forward " + id));
    nobody_calls_again();
}

TEST_P(DeadLetterCrash, AfterTheHandlerAndBeforeItsEndIsStoredOnlyAtLeastOnceCallsItAgain) {
    hold();
    const pid_t host = site_.start("a");
    const std::string id = enqueue(R"({"fail": 9, "handler": "hold"})");
    ASSERT_TRUE(appears("dead " + id + " std::runtime_error"));
    {
        const auto no_commit = site_.block_outcomes();
        let_go();
        ASSERT_TRUE(appears("handled " + id));
        site_.kill(host);
    }
    ASSERT_EQ(run_state(1), kStarted);

    next_node_settles();

    EXPECT_EQ(run_state(1), GetParam() ? kSucceeded : kInterrupted);
    EXPECT_THAT(site_.ledger_lines("handled"), SizeIs(GetParam() ? 2 : 1));
    nobody_calls_again();
}

TEST_F(DeadLetterSite, AnInterruptedHandlerIsSaidAndCanBeRunByHand) {
    deliver("at_most_once");
    hold();
    const pid_t host = site_.start("a");
    const std::string id = enqueue(R"({"fail": 9, "handler": "hold"})");
    ASSERT_TRUE(appears("dead " + id + " std::runtime_error"));
    site_.kill(host);
    let_go();
    const pid_t next = site_.start("a");
    ASSERT_TRUE(site_.dead_letters_end("a"));
    EXPECT_THAT(site_.log_of(next), HasSubstr("`jobhost deadletter rerun 1` does it by hand"));
    EXPECT_THAT(site_.command("a", {"why", id}).out, HasSubstr("handler interrupted"));

    const auto made = site_.json("a", {"deadletter", "rerun", "1"});

    EXPECT_EQ(made.at("rerun_of"), "1");
    EXPECT_FALSE(made.contains("warning"));
    ASSERT_TRUE(appears("handled " + id));
    ASSERT_TRUE(site_.dead_letters_end("a"));
    EXPECT_THAT(site_.ledger_lines("dead"), SizeIs(2));
    EXPECT_EQ(run_state(1), kInterrupted) << "history stays";
    EXPECT_EQ(site_.command("a", {"deadletter", "rerun", "999"}).exit_code, 3);
}

}  // namespace
}  // namespace jobhost::test
