#include "tests/conformance/storage_fixture.h"

namespace jobhost::testing_support {
namespace {

using namespace std::chrono_literals;
using Outcome = WriteAnswer::Outcome;

const std::vector<std::string> kOwn{"a"};
const std::vector<std::string> kNone;

class DeadLetterTest : public StorageTest {
protected:
    /// A run that the worker owes now.
    OwedRun owe(StoreWorker& worker) {
        enqueue({.type = "a"});
        const WriteAnswer answer =
            worker.fail(worker.claim_one(), {{.kind = DeadLetterKind::kHandler, .name = "a"}});
        EXPECT_EQ(answer.owed.size(), 1U);
        return answer.owed.at(0);
    }

    DeadLetter row(std::int64_t run) {
        for (DeadLetter& one : store_->dead_letters(0, std::nullopt, 100, 0)) {
            if (one.run == run) return std::move(one);
        }
        ADD_FAILURE() << "run " << run << " is gone";
        return {};
    }
};

INSTANTIATE_TEST_SUITE_P(Engines, DeadLetterTest, ::testing::ValuesIn(engines()), engine_name);

TEST_P(DeadLetterTest, ARunIsOwedThenStartedThenEnded) {
    StoreWorker worker(*store_, "w", {"a"});
    const OwedRun owed = owe(worker);
    EXPECT_EQ(row(owed.run).state, DeadLetterState::kOwed);

    EXPECT_EQ(worker.write(StartDeadLetter{owed.run}).outcome, Outcome::kStored);
    EXPECT_EQ(row(owed.run).state, DeadLetterState::kStarted);
    EXPECT_EQ(row(owed.run).tries, 1);
    const FinishDeadLetter end{
        .run = owed.run, .state = DeadLetterState::kFailed, .error = std::string("bad\0\xff", 5)};
    EXPECT_EQ(worker.write(end).outcome, Outcome::kStored);

    EXPECT_EQ(row(owed.run).state, DeadLetterState::kFailed);
    EXPECT_EQ(row(owed.run).error, "bad\\x00\\xff");
    EXPECT_EQ(row(owed.run).finished_at, clock_.now());
    EXPECT_EQ(worker.write(end).outcome, Outcome::kStored);  // a repeat
    EXPECT_EQ(worker.write(FinishDeadLetter{.run = owed.run}).outcome, Outcome::kLeaseLost);
    EXPECT_EQ(worker.write(StartDeadLetter{owed.run}).outcome, Outcome::kLeaseLost);
}

TEST_P(DeadLetterTest, OnlyNotApplicableEndsARunThatDidNotStart) {
    StoreWorker worker(*store_, "w", {"a"});
    const OwedRun owed = owe(worker);

    EXPECT_EQ(worker.write(FinishDeadLetter{.run = owed.run}).outcome, Outcome::kLeaseLost);
    EXPECT_EQ(
        worker.write(FinishDeadLetter{.run = owed.run, .state = DeadLetterState::kNotApplicable})
            .outcome,
        Outcome::kStored);
    EXPECT_EQ(row(owed.run).state, DeadLetterState::kNotApplicable);
}

TEST_P(DeadLetterTest, OnlyTheOwnerStartsARun) {
    StoreWorker owner(*store_, "o", {"a"});
    StoreWorker other(*store_, "x", {"a"});
    const OwedRun owed = owe(owner);

    EXPECT_EQ(other.write(StartDeadLetter{owed.run}).outcome, Outcome::kLeaseLost);
    EXPECT_EQ(row(owed.run).state, DeadLetterState::kOwed);
}

TEST_P(DeadLetterTest, RunsOfADeadNodeEndAsInterrupted) {
    StoreWorker dying(*store_, "d", {"a"});
    const OwedRun owed = owe(dying);
    const OwedRun started = owe(dying);
    dying.write(StartDeadLetter{started.run});
    EXPECT_EQ(store_->close_dead_letters(kOwn, kNone), 0);
    dying.die();

    EXPECT_EQ(store_->close_dead_letters(std::vector<std::string>{"b"}, kNone), 0);
    EXPECT_EQ(store_->close_dead_letters(kOwn, kNone), 2);
    EXPECT_EQ(store_->close_dead_letters(kOwn, kNone), 0);

    EXPECT_EQ(row(owed.run).state, DeadLetterState::kInterrupted);
    EXPECT_EQ(row(started.run).state, DeadLetterState::kInterrupted);
    StoreWorker worker(*store_, "w", {"a"});
    EXPECT_TRUE(store_->adopt_dead_letters(worker.node(), kOwn, 10).empty());
}

TEST_P(DeadLetterTest, AtLeastOnceRunsAgainAfterABackOffUpToFiveTimes) {
    StoreWorker first(*store_, "d", {"a"});
    OwedRun owed = owe(first);
    first.write(StartDeadLetter{owed.run});
    first.die();
    for (int tries = 1; tries < 5; ++tries) {
        EXPECT_EQ(store_->close_dead_letters(kOwn, kOwn), 1);
        StoreWorker next(*store_, "n", {"a"});
        EXPECT_TRUE(store_->adopt_dead_letters(next.node(), kOwn, 10).empty());
        clock_.advance(1h);
        const std::vector<OwedRun> adopted = store_->adopt_dead_letters(next.node(), kOwn, 10);
        ASSERT_EQ(adopted.size(), 1U);
        EXPECT_EQ(adopted[0].run, owed.run);
        EXPECT_EQ(next.write(StartDeadLetter{owed.run}).outcome, Outcome::kStored);
        EXPECT_EQ(row(owed.run).tries, tries + 1);
        next.die();
    }

    EXPECT_EQ(store_->close_dead_letters(kOwn, kOwn), 1);
    EXPECT_EQ(row(owed.run).state, DeadLetterState::kInterrupted);
}

TEST_P(DeadLetterTest, AHandlersRunIsAdoptedOnlyByALiveNodeThatHasTheHandler) {
    StoreWorker leaving(*store_, "l", {"a"});
    const OwedRun owed = owe(leaving);
    store_->leave(leaving.node());
    const NodeId without = store_->register_node({.name = "n", .types = {{.name = "a"}}});

    EXPECT_TRUE(store_->adopt_dead_letters(without, kOwn, 10).empty());
    EXPECT_TRUE(store_->adopt_dead_letters(leaving.node(), kOwn, 10).empty());
    StoreWorker with(*store_, "w", {"a"});
    EXPECT_TRUE(store_->adopt_dead_letters(with.node(), std::vector<std::string>{"b"}, 10).empty());
    const std::vector<OwedRun> adopted = store_->adopt_dead_letters(with.node(), kOwn, 10);
    ASSERT_EQ(adopted.size(), 1U);
    EXPECT_EQ(adopted[0].run, owed.run);
    EXPECT_TRUE(store_->adopt_dead_letters(with.node(), kOwn, 10).empty());
}

}  // namespace
}  // namespace jobhost::testing_support
