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
    EXPECT_EQ(store_->close_dead_letters(kOwn, kNone).size(), 0U);
    dying.die();

    EXPECT_EQ(store_->close_dead_letters(std::vector<std::string>{"b"}, kNone).size(), 0U);
    EXPECT_EQ(store_->close_dead_letters(kOwn, kNone).size(), 2U);
    EXPECT_EQ(store_->close_dead_letters(kOwn, kNone).size(), 0U);

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
        const std::vector<LeftRun> left = store_->close_dead_letters(kOwn, kOwn);
        ASSERT_EQ(left.size(), 1U);
        EXPECT_TRUE(left[0].runs_again);
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

    const std::vector<LeftRun> left = store_->close_dead_letters(kOwn, kOwn);
    ASSERT_EQ(left.size(), 1U);
    EXPECT_FALSE(left[0].runs_again);
    EXPECT_EQ(left[0].run.run, owed.run);
    EXPECT_EQ(left[0].run.name, "a");
    EXPECT_EQ(row(owed.run).state, DeadLetterState::kInterrupted);
}

TEST_P(DeadLetterTest, AtLeastOnceARunThatNeverStartedWaitsForNoBackOff) {
    StoreWorker dying(*store_, "d", {"a"});
    const OwedRun owed = owe(dying);
    dying.die();
    StoreWorker next(*store_, "n", {"a"});

    EXPECT_EQ(store_->close_dead_letters(kOwn, kOwn).size(), 1U);
    const std::vector<OwedRun> adopted = store_->adopt_dead_letters(next.node(), kOwn, 10);

    ASSERT_EQ(adopted.size(), 1U);
    EXPECT_EQ(adopted[0].run, owed.run);
}

TEST_P(DeadLetterTest, AnOrderlyStopInterruptsAStartedRunButForAtLeastOnceItRunsAgain) {
    StoreWorker leaving(*store_, "l", {"a"});
    const OwedRun once = owe(leaving);
    leaving.write(StartDeadLetter{once.run});
    store_->leave(leaving.node());
    EXPECT_EQ(row(once.run).state, DeadLetterState::kInterrupted);

    StoreWorker other(*store_, "o", {"a"});
    const OwedRun again = owe(other);
    other.write(StartDeadLetter{again.run});
    store_->leave(other.node(), kOwn);
    EXPECT_EQ(store_->close_dead_letters(kOwn, kOwn).size(), 1U);
    clock_.advance(1h);
    StoreWorker next(*store_, "n", {"a"});
    const std::vector<OwedRun> adopted = store_->adopt_dead_letters(next.node(), kOwn, 10);
    ASSERT_EQ(adopted.size(), 1U);
    EXPECT_EQ(adopted[0].run, again.run);
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

TEST_P(DeadLetterTest, ARerunIsANewRunForALiveNodeAndTheOldOneStays) {
    StoreWorker worker(*store_, "w", {"a"});
    const OwedRun owed = owe(worker);
    worker.write(StartDeadLetter{owed.run});
    worker.write(FinishDeadLetter{
        .run = owed.run, .state = DeadLetterState::kFailed, .error = "no mail server"});

    const RerunAnswer answer = store_->rerun_dead_letter(owed.run, false);

    ASSERT_EQ(answer.outcome, ControlAnswer::Outcome::kDone) << answer.reason;
    EXPECT_TRUE(answer.has_live_node);
    EXPECT_NE(answer.run, owed.run);
    EXPECT_EQ(row(owed.run).error, "no mail server");
    EXPECT_EQ(row(answer.run).state, DeadLetterState::kOwed);
    const auto adopted = store_->adopt_dead_letters(worker.node(), kOwn, 10);
    ASSERT_EQ(adopted.size(), 1U);
    EXPECT_EQ(adopted[0].run, answer.run);
    EXPECT_EQ(adopted[0].job, owed.job);
    EXPECT_EQ(adopted[0].name, "a");
    EXPECT_EQ(worker.write(StartDeadLetter{answer.run}).outcome, Outcome::kStored);
}

TEST_P(DeadLetterTest, ARerunIsRefusedWhileTheSameIsOpenAlsoOnADoubleClick) {
    StoreWorker worker(*store_, "w", {"a"});
    const OwedRun owed = owe(worker);
    const RerunAnswer early = store_->rerun_dead_letter(owed.run, true);
    EXPECT_EQ(early.outcome, ControlAnswer::Outcome::kRefused);
    EXPECT_EQ(early.reason, "dead-letter run " + std::to_string(owed.run) + " has not ended yet");
    worker.write(StartDeadLetter{owed.run});
    worker.write(FinishDeadLetter{.run = owed.run});

    const RerunAnswer first = store_->rerun_dead_letter(owed.run, false);
    const RerunAnswer second = store_->rerun_dead_letter(owed.run, false);

    EXPECT_EQ(first.outcome, ControlAnswer::Outcome::kDone);
    EXPECT_EQ(second.outcome, ControlAnswer::Outcome::kRefused);
    EXPECT_EQ(second.reason, "dead-letter run " + std::to_string(first.run) +
                                 " of the same job does the same and has not ended yet");
    EXPECT_EQ(store_->dead_letters(owed.job, std::nullopt, 100, 0).size(), 2U);
}

TEST_P(DeadLetterTest, ARerunOfAJobThatIsNotFailedAnyMoreWantsForce) {
    StoreWorker worker(*store_, "w", {"a"});
    const OwedRun owed = owe(worker);
    worker.write(StartDeadLetter{owed.run});
    worker.write(FinishDeadLetter{.run = owed.run});
    store_->requeue_job(owed.job, false);

    const RerunAnswer refused = store_->rerun_dead_letter(owed.run, false);
    EXPECT_EQ(refused.outcome, ControlAnswer::Outcome::kRefused);
    EXPECT_EQ(refused.reason,
              "job " + std::to_string(owed.job) + " is not failed any more: it is enqueued");
    EXPECT_EQ(store_->rerun_dead_letter(owed.run, true).outcome, ControlAnswer::Outcome::kDone);
    EXPECT_EQ(store_->rerun_dead_letter(987654, true).outcome, ControlAnswer::Outcome::kNotFound);
}

TEST_P(DeadLetterTest, ARerunThatNoLiveNodeCanDoSaysSoAndWaits) {
    StoreWorker worker(*store_, "w", {"a"});
    const OwedRun owed = owe(worker);
    worker.write(StartDeadLetter{owed.run});
    worker.write(FinishDeadLetter{.run = owed.run});
    store_->leave(worker.node());
    store_->register_node({.name = "without the handler", .types = {{.name = "a"}}});

    const RerunAnswer answer = store_->rerun_dead_letter(owed.run, false);

    EXPECT_EQ(answer.outcome, ControlAnswer::Outcome::kDone);
    EXPECT_FALSE(answer.has_live_node);
    StoreWorker with(*store_, "n", {"a"});
    EXPECT_EQ(store_->adopt_dead_letters(with.node(), kOwn, 10).size(), 1U);
}

}  // namespace
}  // namespace jobhost::testing_support
