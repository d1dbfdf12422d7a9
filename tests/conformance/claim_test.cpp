#include <set>

#include "tests/conformance/storage_fixture.h"

namespace jobhost::testing_support {
namespace {

using namespace std::chrono_literals;

std::vector<JobId> claimed_ids(const std::vector<ClaimedJob>& jobs) {
    std::vector<JobId> ids;
    for (const ClaimedJob& job : jobs) ids.push_back(job.lease.job);
    return ids;
}

TEST_P(StorageTest, ClaimsByPriorityThenRunAtThenIdAcrossTypes) {
    StoreWorker worker(*store_, "w", {"a", "b", "c"});
    const JobId low = enqueue({.type = "a", .priority = Priority::kLow});
    const JobId later = enqueue({.type = "b", .run_at = clock_.now() - 1s});
    const JobId first = enqueue({.type = "c", .run_at = clock_.now() - 2s});
    const JobId same_time = enqueue({.type = "a", .run_at = clock_.now() - 1s});
    const JobId critical = enqueue({.type = "b", .priority = Priority::kCritical});

    const std::vector<ClaimedJob> jobs = worker.claim(10);

    EXPECT_EQ(claimed_ids(jobs), (std::vector<JobId>{critical, first, later, same_time, low}));
}

TEST_P(StorageTest, ClaimsNoMoreThanWantedAndGoesOnWhereItStopped) {
    StoreWorker worker(*store_, "w", {"a", "b"});
    std::vector<JobId> ids;
    for (int i = 0; i < 6; ++i) ids.push_back(enqueue({.type = i % 2 == 0 ? "a" : "b"}));

    std::vector<JobId> claimed = claimed_ids(worker.claim(4));
    for (const JobId id : claimed_ids(worker.claim(4))) claimed.push_back(id);

    EXPECT_EQ(claimed, ids);
    EXPECT_TRUE(worker.claim(4).empty());
}

TEST_P(StorageTest, ClaimsOnlyOwnTypesHoweverManyForeignOnesWaitInFront) {
    for (int i = 0; i < 50; ++i) {
        enqueue({.type = "foreign" + std::to_string(i), .priority = Priority::kCritical});
    }
    const JobId own = enqueue({.type = "own"});
    StoreWorker worker(*store_, "w", {"own", "unused"});

    EXPECT_EQ(claimed_ids(worker.claim(10)), std::vector<JobId>{own});
}

TEST_P(StorageTest, EachQueueIsAskedForItself) {
    StoreWorker worker(*store_, "w", {"a"}, {"first", "second"});
    const JobId one = enqueue({.type = "a", .queue = "first"});
    const JobId two = enqueue({.type = "a", .queue = "second"});
    const std::vector<Demand> both{{.queue = 1, .free = 5}, {.queue = 0, .free = 5}};

    EXPECT_EQ(claimed_ids(store_->exchange(worker.node(), {}, both).claimed),
              (std::vector<JobId>{two, one}));
}

TEST_P(StorageTest, AFutureJobIsToldAsNextDueAndClaimedWhenDue) {
    StoreWorker worker(*store_, "w", {"a"});
    const JobId id = enqueue({.type = "a", .delay = 10s});
    enqueue({.type = "a", .delay = 20s});
    enqueue({.type = "foreign", .delay = 1s});
    const std::vector<Demand> demand{{.queue = 0, .free = 1}};

    const Exchanged early = store_->exchange(worker.node(), {}, demand);
    EXPECT_TRUE(early.claimed.empty());
    EXPECT_EQ(early.next_due, clock_.now() + 10s);
    EXPECT_FALSE(early.claimed_all_wanted);

    clock_.advance(10s);
    const Exchanged due = store_->exchange(worker.node(), {}, demand);
    EXPECT_EQ(claimed_ids(due.claimed), std::vector<JobId>{id});
    EXPECT_TRUE(due.claimed_all_wanted);
}

TEST_P(StorageTest, NextDueIsToldBehindTheLastClaimedJobToo) {
    StoreWorker worker(*store_, "w", {"a"});
    enqueue({.type = "a"});
    enqueue({.type = "a", .delay = 30s});
    const std::vector<Demand> demand{{.queue = 0, .free = 5}};

    EXPECT_EQ(store_->exchange(worker.node(), {}, demand).next_due, clock_.now() + 30s);
}

TEST_P(StorageTest, AClaimCountsTheAttemptAndStoresTheLimit) {
    StoreWorker worker(*store_, "w", {"a"});  // says 3 attempts
    const JobId requested = enqueue({.type = "a", .max_attempts = 7});
    const JobId default_limit = enqueue({.type = "a"});

    const std::vector<ClaimedJob> jobs = worker.claim(2);

    EXPECT_EQ(jobs[0].attempt, 1);
    EXPECT_EQ(jobs[0].max_attempts, 7);
    EXPECT_EQ(jobs[0].max_attempts_requested, 7);
    EXPECT_EQ(jobs[1].max_attempts, 3);
    EXPECT_EQ(find(requested).max_attempts, 7);
    EXPECT_EQ(find(default_limit).max_attempts, 3);
    EXPECT_EQ(find(default_limit).attempts, 1);
    EXPECT_EQ(find(default_limit).state, JobState::kProcessing);
    EXPECT_EQ(find(default_limit).node, worker.node());
}

TEST_P(StorageTest, TheLimitInForceIsNeverLessThanTheAttemptsMade) {
    StoreWorker worker(*store_, "w", {"a"});
    enqueue({.type = "a", .max_attempts = 5});
    worker.retry(worker.claim_one(), 0s);
    store_->set_claim_plan({{.name = "default", .types = {{.name = "a", .max_attempts = 1}}}});
    enqueue({.type = "a"});
    worker.retry(worker.claim(2)[1], 0s);

    const ClaimedJob again = worker.claim_one();

    EXPECT_EQ(again.attempt, 2);
    EXPECT_EQ(again.max_attempts, 2);
}

TEST_P(StorageTest, PrefetchNeverTakesALastAttempt) {
    StoreWorker worker(*store_, "w", {"a"});
    const JobId started = enqueue({.type = "a", .max_attempts = 1});
    const JobId last = enqueue({.type = "a", .max_attempts = 1});
    const JobId fetched = enqueue({.type = "a"});
    const std::vector<Demand> demand{{.queue = 0, .free = 1, .prefetch = 5}};

    const Exchanged answer = store_->exchange(worker.node(), {}, demand);

    EXPECT_EQ(claimed_ids(answer.claimed), (std::vector<JobId>{started, fetched}));
    EXPECT_EQ(find(last).state, JobState::kEnqueued);
    EXPECT_EQ(claimed_ids(worker.claim(1)), std::vector<JobId>{last});
}

TEST_P(StorageTest, PausedQueuesAndTypesAreNotClaimedUntilResumed) {
    StoreWorker worker(*store_, "w", {"a", "b"});  // service "tests"
    const JobId a = enqueue({.type = "a"});
    const JobId b = enqueue({.type = "b"});

    store_->pause(Pause::Kind::kType, "a", "", "ann");
    EXPECT_EQ(claimed_ids(worker.claim(5)), std::vector<JobId>{b});
    store_->resume(Pause::Kind::kType, "a", "");
    store_->pause(Pause::Kind::kQueue, "default", "tests", "ann");
    EXPECT_TRUE(worker.claim(5).empty());
    store_->resume(Pause::Kind::kQueue, "default", "tests");
    store_->pause(Pause::Kind::kQueue, "default", "another service", "ann");
    EXPECT_EQ(claimed_ids(worker.claim(5)), std::vector<JobId>{a});
}

TEST_P(StorageTest, AJobPastItsDeadlineIsExpiredInsteadOfClaimed) {
    StoreWorker worker(*store_, "w", {"a"});
    const JobId late = enqueue({.type = "a", .deadline_in = 5s});
    clock_.advance(5s);
    const JobId good = enqueue({.type = "a", .deadline_in = 5s});

    const std::vector<ClaimedJob> jobs = worker.claim(5);

    EXPECT_EQ(claimed_ids(jobs), std::vector<JobId>{good});
    EXPECT_EQ(jobs[0].expires_at, clock_.now() + 5s);
    EXPECT_EQ(find(late).state, JobState::kExpired);
    EXPECT_EQ(find(late).reason, "expired");
    EXPECT_EQ(find(late).attempts, 0);
    EXPECT_EQ(counts("a").expired, 1);
}

TEST_P(StorageTest, ADeadlineNoLongerCountsOnceTheJobHasStarted) {
    StoreWorker worker(*store_, "w", {"a"});
    const JobId id = enqueue({.type = "a", .deadline_in = 5s});
    worker.retry(worker.claim_one(), 1min);
    clock_.advance(1min);

    EXPECT_EQ(store_->expire_jobs(10), 0);
    const ClaimedJob again = worker.claim_one();

    EXPECT_EQ(again.lease.job, id);
    EXPECT_FALSE(again.expires_at.has_value());
}

TEST_P(StorageTest, ADeadlineStillCountsForAJobGivenBackWithoutAStart) {
    StoreWorker worker(*store_, "w", {"a"});
    const JobId id = enqueue({.type = "a", .deadline_in = 5s});
    const ClaimedJob job = worker.claim_one();
    worker.write(RunReport{.lease = job.lease, .next = Release{}});
    clock_.advance(5s);

    EXPECT_EQ(store_->expire_jobs(10), 1);
    EXPECT_EQ(find(id).state, JobState::kExpired);
}

TEST_P(StorageTest, AnyNodeExpiresJobsOfAnyTypeWhateverTheirPriority) {
    std::vector<JobId> ids;
    for (int i = 0; i < 5; ++i) {
        ids.push_back(enqueue({.type = "foreign", .deadline_in = std::chrono::seconds(1 + i)}));
    }
    clock_.advance(4s);

    EXPECT_EQ(store_->expire_jobs(3), 3);
    EXPECT_EQ(store_->expire_jobs(3), 1);
    EXPECT_EQ(find(ids[3]).state, JobState::kExpired);
    EXPECT_EQ(find(ids[4]).state, JobState::kEnqueued);
}

TEST_P(StorageTest, AClaimedJobThatWasNotStartedYetIsNotExpiredByOthers) {
    StoreWorker worker(*store_, "w", {"a"});
    enqueue({.type = "a", .deadline_in = 1s});
    const ClaimedJob job = worker.claim_one();
    clock_.advance(1s);

    EXPECT_EQ(store_->expire_jobs(10), 0);
    EXPECT_EQ(worker.end(job, Expire{}).state, JobState::kExpired);
}

TEST_P(StorageTest, ANodeThatWasDeclaredDeadGetsAndChangesNothing) {
    StoreWorker worker(*store_, "w", {"a"});
    const JobId id = enqueue({.type = "a"});
    enqueue({.type = "a"});
    const ClaimedJob job = worker.claim_one();
    worker.die();
    const std::vector<Write> writes{RunReport{.lease = job.lease, .next = Succeed{}}};
    const std::vector<Demand> demand{{.queue = 0, .free = 1}};

    const Exchanged answer = store_->exchange(worker.node(), writes, demand);

    EXPECT_FALSE(answer.node_alive);
    EXPECT_TRUE(answer.claimed.empty());
    EXPECT_EQ(find(id).state, JobState::kProcessing);
}

TEST_P(StorageTest, TwoNodesNeverClaimTheSameJob) {
    StoreWorker one(*store_, "1", {"a"});
    const std::unique_ptr<Store> other_session = session();
    StoreWorker two(*other_session, "2", {"a"});
    for (int i = 0; i < 4; ++i) enqueue({.type = "a"});

    std::vector<JobId> ids = claimed_ids(one.claim(2));
    for (const JobId id : claimed_ids(two.claim(4))) ids.push_back(id);

    EXPECT_EQ(ids.size(), 4U);
    EXPECT_EQ(std::set<JobId>(ids.begin(), ids.end()).size(), 4U);
}

TEST_P(StorageTest, LeasesOfANodeAreWhatItClaimed) {
    StoreWorker worker(*store_, "w", {"a"});
    enqueue({.type = "a"});
    const ClaimedJob job = worker.claim_one();

    const std::vector<Lease> leases = store_->leases_of(worker.node());
    ASSERT_EQ(leases.size(), 1U);
    EXPECT_EQ(leases[0].fence, job.lease.fence);
    worker.write(RunReport{.lease = leases[0], .next = Release{}});

    EXPECT_TRUE(store_->leases_of(worker.node()).empty());
    EXPECT_EQ(find(job.lease.job).attempts, 0);
}

TEST_P(StorageTest, EachRequestIsGivenOutOnce) {
    StoreWorker worker(*store_, "w", {"a"});
    enqueue({.type = "a"});
    const ClaimedJob job = worker.claim_one();
    store_->cancel_job(job.lease.job, "ann");

    const Exchanged first = store_->exchange(worker.node(), {}, {});
    const Exchanged second = store_->exchange(worker.node(), {}, {});

    ASSERT_EQ(first.requests.size(), 1U);
    EXPECT_EQ(first.requests[0].kind, NodeRequest::Kind::kCancelJob);
    EXPECT_EQ(first.requests[0].job, job.lease.job);
    EXPECT_EQ(first.requests[0].fence, job.lease.fence);
    EXPECT_EQ(first.requests[0].by, "ann");
    EXPECT_TRUE(second.requests.empty());
}

}  // namespace
}  // namespace jobhost::testing_support
