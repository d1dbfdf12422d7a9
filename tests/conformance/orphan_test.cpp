#include "tests/conformance/storage_fixture.h"

namespace jobhost::testing_support {
namespace {

using namespace std::chrono_literals;
using Outcome = WriteAnswer::Outcome;

const std::vector<std::string> kOwn{"a"};
const std::vector<std::string> kOther{"b"};

RunReport requeue(const Orphan& orphan, Duration delay = {}) {
    return {.lease = orphan.lease,
            .next = Retry{.delay = delay,
                          .why = {.type = "jobhost::OrphanedJobError", .message = "died"},
                          .orphaned = true}};
}

RunReport fail(const Orphan& orphan) {
    return {.lease = orphan.lease,
            .next = Fail{.why = {.type = "jobhost::OrphanedJobError"},
                         .reason = "orphaned",
                         .owed = {{.kind = DeadLetterKind::kHandler, .name = "a"}}}};
}

class OrphanTest : public StorageTest {
protected:
    OrphanReporter& reporter() { return *store_->orphan_reporter(); }

    /// A job whose node died under it.
    JobId orphan(NewJob job) {
        const std::string type = job.type;
        const JobId id = enqueue(std::move(job));
        StoreWorker dying(*store_, "d", {type});
        EXPECT_EQ(dying.claim_one().lease.job, id);
        dying.die();
        return id;
    }

    std::vector<WriteAnswer> resolve(NodeId self, const RunReport& report) {
        return reporter().resolve_orphans(self, std::vector<RunReport>{report});
    }
};

INSTANTIATE_TEST_SUITE_P(Engines, OrphanTest, ::testing::ValuesIn(engines()), engine_name);

TEST_P(StorageTest, OrphansOfLiveNodesAreNone) {
    StoreWorker worker(*store_, "w", {"a"});
    enqueue({.type = "a"});
    worker.claim_one();

    EXPECT_TRUE(store_->orphan_reporter()->list_orphans(kOwn, 10).empty());
}

TEST_P(OrphanTest, OrphansAreListedForTheirOwnTypesOnly) {
    for (int i = 0; i < 5; ++i) orphan({.type = "b"});
    const JobId id = orphan({.type = "a", .max_attempts = 4});

    const std::vector<Orphan> own = reporter().list_orphans(kOwn, 1);

    ASSERT_EQ(own.size(), 1U);
    EXPECT_EQ(own[0].lease.job, id);
    EXPECT_EQ(own[0].type, "a");
    EXPECT_EQ(own[0].queue, "default");
    EXPECT_EQ(own[0].attempts, 1);
    EXPECT_EQ(own[0].max_attempts, 4);
    EXPECT_EQ(own[0].node_name, "d");
    EXPECT_EQ(own[0].death, "killed");
    EXPECT_EQ(reporter().list_orphans(kOther, 10).size(), 5U);
    EXPECT_TRUE(reporter().list_orphans(std::vector<std::string>{"unknown"}, 10).empty());
}

TEST_P(OrphanTest, AnOrphanThatHadStartedNeverExpiresAlthoughItsStartWasNotStoredYet) {
    const JobId requeued = orphan({.type = "a", .deadline_after = 5s});
    StoreWorker worker(*store_, "w", {"a"});
    resolve(worker.node(), requeue(reporter().list_orphans(kOwn, 10)[0]));
    const JobId recovered = orphan({.type = "b", .deadline_after = 5s});
    EXPECT_EQ(store_->recover_orphans(kOther, 10), 1);
    clock_.advance(1min);

    EXPECT_EQ(store_->expire_jobs(10), 0);
    EXPECT_EQ(find(requeued).state, JobState::kEnqueued);
    EXPECT_EQ(find(recovered).state, JobState::kEnqueued);
}

TEST_P(OrphanTest, AnOrphanThatHadNotStartedKeepsItsDeadline) {
    const JobId id = orphan({.type = "a", .deadline_after = 5s});
    StoreWorker worker(*store_, "w", {"a"});
    resolve(worker.node(),
            {.lease = reporter().list_orphans(kOwn, 10)[0].lease, .next = Release{}});
    clock_.advance(1min);

    EXPECT_EQ(store_->expire_jobs(10), 1);
    EXPECT_EQ(find(id).state, JobState::kExpired);
}

TEST_P(OrphanTest, ARequeuedOrphanRunsAgainWithItsAttemptUsed) {
    const JobId id = orphan({.type = "a"});
    StoreWorker worker(*store_, "w", {"a"});

    const auto answers = resolve(worker.node(), requeue(reporter().list_orphans(kOwn, 10)[0]));

    EXPECT_EQ(answers[0].outcome, Outcome::kStored);
    EXPECT_TRUE(reporter().list_orphans(kOwn, 10).empty());
    const ClaimedJob again = worker.claim_one();
    EXPECT_EQ(again.lease.job, id);
    EXPECT_EQ(again.attempt, 2);
    EXPECT_EQ(again.orphanings, 1);
    EXPECT_EQ(find(id).errors.size(), 1U);
}

TEST_P(OrphanTest, OfTwoWatchersOneIsToldThatItDidIt) {
    orphan({.type = "a"});
    StoreWorker one(*store_, "1", {"a"});
    StoreWorker two(*store_, "2", {"a"});
    const Orphan seen = reporter().list_orphans(kOwn, 10)[0];

    EXPECT_EQ(resolve(one.node(), requeue(seen, 1h))[0].outcome, Outcome::kStored);
    EXPECT_EQ(resolve(two.node(), requeue(seen, 1h))[0].outcome, Outcome::kLeaseLost);
    EXPECT_EQ(resolve(two.node(), fail(seen))[0].outcome, Outcome::kLeaseLost);
}

TEST_P(OrphanTest, AFailedOrphanOwesItsRunsToTheWatcher) {
    const JobId id = orphan({.type = "a", .max_attempts = 1});
    StoreWorker one(*store_, "1", {"a"});
    StoreWorker two(*store_, "2", {"a"});
    const Orphan seen = reporter().list_orphans(kOwn, 10)[0];

    const WriteAnswer answer = resolve(one.node(), fail(seen))[0];
    const WriteAnswer late = resolve(two.node(), fail(seen))[0];

    ASSERT_EQ(answer.owed.size(), 1U);
    EXPECT_EQ(late.outcome, Outcome::kLeaseLost);
    EXPECT_TRUE(late.owed.empty());
    EXPECT_EQ(find(id).state, JobState::kFailed);
    EXPECT_EQ(find(id).reason, "orphaned");
    EXPECT_EQ(one.write(StartDeadLetter{answer.owed[0].run}).outcome, Outcome::kStored);
}

TEST_P(OrphanTest, AnOrphanThatWasToBeCancelledIsCancelled) {
    const JobId id = enqueue({.type = "a", .max_attempts = 1});
    StoreWorker dying(*store_, "d", {"a"});
    dying.claim_one();
    store_->cancel_job(id, "ann");
    dying.die();
    StoreWorker worker(*store_, "w", {"a"});

    const WriteAnswer answer =
        resolve(worker.node(), fail(reporter().list_orphans(kOwn, 10)[0]))[0];

    EXPECT_EQ(answer.state, JobState::kCancelled);
    EXPECT_TRUE(answer.owed.empty());
    EXPECT_EQ(find(id).reason, "cancelled by ann");
}

TEST_P(OrphanTest, ALeaseOfALiveNodeIsNoOrphan) {
    StoreWorker live(*store_, "l", {"a"});
    const JobId id = enqueue({.type = "a"});
    const ClaimedJob job = live.claim_one();
    StoreWorker worker(*store_, "w", {"a"});

    const Orphan pretended{.lease = job.lease, .type = "a"};

    EXPECT_EQ(resolve(worker.node(), requeue(pretended))[0].outcome, Outcome::kLeaseLost);
    EXPECT_EQ(find(id).state, JobState::kProcessing);
}

TEST_P(OrphanTest, ADeadWatcherResolvesNothing) {
    const JobId id = orphan({.type = "a"});
    StoreWorker worker(*store_, "w", {"a"});
    worker.die();

    const auto answers = resolve(worker.node(), requeue(reporter().list_orphans(kOwn, 10)[0]));

    EXPECT_EQ(answers[0].outcome, Outcome::kLeaseLost);
    EXPECT_EQ(find(id).state, JobState::kProcessing);
}

TEST_P(OrphanTest, AResultThatComesAfterTheDeathMarkIsDropped) {
    const JobId id = enqueue({.type = "a"});
    StoreWorker zombie(*store_, "z", {"a"});
    const ClaimedJob job = zombie.claim_one();
    zombie.die();
    StoreWorker worker(*store_, "w", {"a"});
    resolve(worker.node(), requeue(reporter().list_orphans(kOwn, 10)[0]));
    const std::vector<Write> writes{RunReport{.lease = job.lease, .next = Succeed{}}};

    EXPECT_FALSE(store_->exchange(zombie.node(), writes, {}).node_alive);
    EXPECT_EQ(find(id).state, JobState::kEnqueued);
}

TEST_P(OrphanTest, OrphaningsAreCountedInARow) {
    const JobId id = enqueue({.type = "a", .max_attempts = 10});
    StoreWorker watcher(*store_, "w", {"a"});
    for (int i = 1; i <= 2; ++i) {
        StoreWorker dying(*store_, "d", {"a"});
        dying.claim_one();
        dying.die();
        resolve(watcher.node(), requeue(reporter().list_orphans(kOwn, 10)[0]));
        EXPECT_EQ(find(id).orphanings, i);
    }

    watcher.retry(watcher.claim_one(), 0s);

    EXPECT_EQ(find(id).orphanings, 0);
    EXPECT_EQ(find(id).attempts, 3);
}

TEST_P(OrphanTest, WithoutReportingOrphansAreRequeuedWithBackOffAndFailWhenExhausted) {
    const JobId id = enqueue({.type = "a", .max_attempts = 3});
    for (const Duration wait : {Duration(0s), Duration(4s)}) {
        StoreWorker dying(*store_, "d", {"a"});
        dying.claim_one();
        dying.die();
        EXPECT_EQ(store_->recover_orphans(kOther, 10), 0);
        EXPECT_EQ(store_->recover_orphans(kOwn, 10), 1);
        EXPECT_EQ(find(id).run_at, clock_.now() + wait);
        clock_.advance(wait);
    }
    StoreWorker dying(*store_, "d", {"a"});
    dying.claim_one();
    dying.die();

    EXPECT_EQ(store_->recover_orphans(kOwn, 10), 1);

    EXPECT_EQ(find(id).state, JobState::kFailed);
    EXPECT_EQ(find(id).last_error->type, "jobhost::OrphanedJobError");
    EXPECT_TRUE(store_->dead_letters(id, std::nullopt, 10, 0).empty());
}

}  // namespace
}  // namespace jobhost::testing_support
