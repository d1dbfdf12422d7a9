// What every storage engine must do for operators: see storage/job_control.h.

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/conformance/storage_fixture.h"
#include "tests/conformance/store_worker.h"

namespace jobhost::testing_support {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Optional;
using Outcome = ControlAnswer::Outcome;

// ---- requeue ------------------------------------------------------------------------------------

TEST_P(StorageTest, RequeueStartsAFailedJobAnewAndKeepsItsHistory) {
    StoreWorker worker(*store_, "w", {"pay"});
    const JobId id =
        enqueue_one(*store_, {.type = "pay", .tags = {"t"}, .deadline_after = 1h, .source = "cli"});
    ClaimedJob run = worker.claim_one();
    worker.write(SaveCheckpoint{.lease = run.lease, .json = "{\"at\":1}"});
    worker.end(run, Snooze{.delay = 0s});
    run = worker.claim_one();
    worker.write(RunReport{.lease = run.lease,
                           .next = Fail{.why = StoreWorker::error_of(run, "broke"),
                                        .reason = "exhausted",
                                        .owed = {{DeadLetterKind::kHandler, "pay"}}},
                           .started_at = run.claimed_at,
                           .log = {{.at = clock_.now(), .text = "line"}}});
    clock_.advance(100s);

    const ControlAnswer answer = store_->requeue_job(id, false);

    EXPECT_EQ(answer.outcome, Outcome::kDone);
    EXPECT_EQ(answer.state, JobState::kEnqueued);
    const std::optional<Job> job = store_->find_job(id);
    ASSERT_TRUE(job.has_value());
    EXPECT_EQ(job->state, JobState::kEnqueued);
    EXPECT_EQ(job->attempts, 0);
    EXPECT_EQ(job->snoozes, 0);
    EXPECT_EQ(job->orphanings, 0);
    EXPECT_EQ(job->run_at, clock_.now());
    EXPECT_EQ(job->expires_at, std::nullopt);
    EXPECT_EQ(job->first_started_at, std::nullopt);
    EXPECT_EQ(job->started_at, std::nullopt);
    EXPECT_EQ(job->finished_at, std::nullopt);
    EXPECT_EQ(job->reason, "");
    EXPECT_EQ(job->fence, run.lease.fence);
    EXPECT_EQ(job->errors.size(), 1U);
    EXPECT_EQ(job->log.size(), 1U);
    EXPECT_EQ(job->source, "cli");
    EXPECT_THAT(job->checkpoint, Optional(std::string("{\"at\":1}")));
    EXPECT_EQ(store_->dead_letters(id, {}, 10, 0).size(), 1U);

    const ClaimedJob again = worker.claim_one();
    EXPECT_EQ(again.lease.job, id);
    EXPECT_EQ(again.attempt, 1);
    EXPECT_EQ(again.snoozes, 0);
    EXPECT_GT(again.lease.fence, run.lease.fence);
    EXPECT_EQ(again.first_started_at, std::nullopt);
    EXPECT_THAT(again.checkpoint, Optional(std::string("{\"at\":1}")));
    worker.succeed(again);
    EXPECT_EQ(store_->find_job(id)->state, JobState::kSucceeded);
}

TEST_P(StorageTest, AFreshRequeueDropsTheCheckpoint) {
    StoreWorker worker(*store_, "w", {"pay"});
    const JobId id = enqueue_one(*store_, {.type = "pay"});
    const ClaimedJob run = worker.claim_one();
    worker.write(SaveCheckpoint{.lease = run.lease, .json = "1"});
    worker.fail(run);

    EXPECT_EQ(store_->requeue_job(id, true).outcome, Outcome::kDone);

    EXPECT_EQ(store_->find_job(id)->checkpoint, std::nullopt);
}

TEST_P(StorageTest, EveryEndCanBeRequeued) {
    StoreWorker worker(*store_, "w", {"pay"});
    const JobId succeeded = enqueue_one(*store_, {.type = "pay"});
    worker.succeed(worker.claim_one());
    const JobId failed = enqueue_one(*store_, {.type = "pay"});
    worker.fail(worker.claim_one());
    const JobId cancelled = enqueue_one(*store_, {.type = "pay"});
    store_->cancel_job(cancelled, "ann");
    const JobId expired = enqueue_one(*store_, {.type = "pay", .deadline_after = 1s});
    clock_.advance(10s);
    ASSERT_EQ(store_->expire_jobs(10), 1);

    for (const JobId id : {succeeded, failed, cancelled, expired}) {
        EXPECT_EQ(store_->requeue_job(id, false).outcome, Outcome::kDone);
        EXPECT_EQ(store_->find_job(id)->state, JobState::kEnqueued);
    }
    clock_.advance(1h);
    EXPECT_EQ(store_->expire_jobs(10), 0);
    EXPECT_EQ(worker.claim(10).size(), 4U);
}

TEST_P(StorageTest, ASecondRequeueDoesNothing) {
    StoreWorker worker(*store_, "w", {"pay"});
    const JobId id = enqueue_one(*store_, {.type = "pay"});
    worker.fail(worker.claim_one());
    ASSERT_EQ(store_->requeue_job(id, false).outcome, Outcome::kDone);

    const ControlAnswer second = store_->requeue_job(id, false);

    EXPECT_EQ(second.outcome, Outcome::kRefused);
    EXPECT_EQ(second.state, JobState::kEnqueued);
    EXPECT_THAT(second.reason, HasSubstr("has not ended: it is enqueued"));
    EXPECT_EQ(worker.claim(10).size(), 1U);
    EXPECT_EQ(store_->requeue_job(id, false).state, JobState::kProcessing);
    EXPECT_EQ(store_->requeue_job(999, false).outcome, Outcome::kNotFound);
}

TEST_P(StorageTest, OfManyRequeuesAtOnceExactlyOneIsDone) {
    StoreWorker worker(*store_, "w", {"pay"});
    const JobId id = enqueue_one(*store_, {.type = "pay"});
    worker.fail(worker.claim_one());
    std::atomic<int> done = 0;

    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            const std::unique_ptr<Store> own = session();
            if (own->requeue_job(id, false).outcome == Outcome::kDone) ++done;
        });
    }
    for (std::thread& thread : threads) thread.join();

    EXPECT_EQ(done, 1);
    EXPECT_EQ(store_->type_counts().at(0).waiting, 1);
}

TEST_P(StorageTest, RequeueIsRefusedWhileAnotherLiveJobHoldsTheKey) {
    StoreWorker worker(*store_, "w", {"pay"});
    const JobId first = enqueue_one(*store_, {.type = "pay", .idempotency_key = "k"});
    worker.fail(worker.claim_one());
    const JobId second = enqueue_one(*store_, {.type = "pay", .idempotency_key = "k"});
    ASSERT_NE(first, second);

    const ControlAnswer refused = store_->requeue_job(first, false);

    EXPECT_EQ(refused.outcome, Outcome::kRefused);
    EXPECT_THAT(refused.reason, HasSubstr("job " + std::to_string(second)));
    EXPECT_EQ(store_->find_job(first)->state, JobState::kFailed);

    // When the other has ended, the key comes back with the requeue.
    worker.fail(worker.claim_one());
    EXPECT_EQ(store_->requeue_job(first, false).outcome, Outcome::kDone);
    EXPECT_EQ(enqueue_one(*store_, {.type = "pay", .idempotency_key = "k"}), first);
    EXPECT_EQ(store_->requeue_job(second, false).outcome, Outcome::kRefused);
}

TEST_P(StorageTest, AJobMayBeRequeuedThoughItHoldsItsOwnKey) {
    StoreWorker worker(*store_, "w", {"pay"});
    const JobId id = enqueue_one(*store_, {.type = "pay", .idempotency_key = "k"});
    worker.succeed(worker.claim_one());

    EXPECT_EQ(store_->requeue_job(id, false).outcome, Outcome::kDone);
}

// ---- cancel -------------------------------------------------------------------------------------

TEST_P(StorageTest, AWaitingJobIsCancelledAtOnce) {
    StoreWorker worker(*store_, "w", {"pay"});
    const JobId due = enqueue_one(*store_, {.type = "pay", .deadline_after = 1s});
    const JobId later = enqueue_one(*store_, {.type = "pay", .delay = 1h});

    EXPECT_EQ(store_->cancel_job(due, "ann").outcome, Outcome::kDone);
    EXPECT_EQ(store_->cancel_job(later, "ann").state, JobState::kCancelled);

    const std::optional<Job> job = store_->find_job(due);
    EXPECT_EQ(job->state, JobState::kCancelled);
    EXPECT_EQ(job->reason, "cancelled by ann");
    EXPECT_THAT(job->finished_at, Optional(clock_.now()));
    EXPECT_TRUE(worker.claim(10).empty());
    clock_.advance(10s);
    EXPECT_EQ(store_->expire_jobs(10), 0);
    EXPECT_EQ(store_->cancel_job(due, "bob").outcome, Outcome::kRefused);
    EXPECT_EQ(store_->find_job(due)->reason, "cancelled by ann");
    EXPECT_EQ(store_->cancel_job(999, "ann").outcome, Outcome::kNotFound);
}

TEST_P(StorageTest, ARunningJobIsFlaggedAndItsNodeIsToldOnce) {
    StoreWorker worker(*store_, "w", {"pay"});
    const JobId id = enqueue_one(*store_, {.type = "pay"});
    const ClaimedJob run = worker.claim_one();

    EXPECT_EQ(store_->cancel_job(id, "ann").outcome, Outcome::kRequested);
    EXPECT_EQ(store_->cancel_job(id, "bob").outcome, Outcome::kRequested);

    EXPECT_EQ(store_->find_job(id)->state, JobState::kProcessing);
    EXPECT_THAT(store_->find_job(id)->cancel_requested_by, Optional(std::string("ann")));
    worker.claim(1);
    worker.claim(1);
    ASSERT_EQ(worker.requests().size(), 1U);
    const NodeRequest& request = worker.requests().front();
    EXPECT_EQ(request.kind, NodeRequest::Kind::kCancelJob);
    EXPECT_EQ(request.job, id);
    EXPECT_EQ(request.fence, run.lease.fence);
    EXPECT_EQ(request.by, "ann");

    // It comes back by a retry: the wish still stands.
    const WriteAnswer answer = worker.retry(run, 0s);
    EXPECT_EQ(answer.state, JobState::kCancelled);
    EXPECT_THAT(store_->find_job(id)->reason, HasSubstr("ann"));
}

TEST_P(StorageTest, AFlaggedJobThatSucceedsHasSucceeded) {
    StoreWorker worker(*store_, "w", {"pay"});
    const JobId id = enqueue_one(*store_, {.type = "pay"});
    const ClaimedJob run = worker.claim_one();
    store_->cancel_job(id, "ann");

    worker.succeed(run);

    EXPECT_EQ(store_->find_job(id)->state, JobState::kSucceeded);
}

TEST_P(StorageTest, AJobOfADeadNodeIsCancelledAtOnce) {
    StoreWorker worker(*store_, "w", {"pay"});
    const JobId id = enqueue_one(*store_, {.type = "pay"});
    const ClaimedJob run = worker.claim_one();
    worker.die();

    EXPECT_EQ(store_->cancel_job(id, "ann").outcome, Outcome::kDone);

    EXPECT_EQ(store_->find_job(id)->state, JobState::kCancelled);
    EXPECT_EQ(store_->find_job(id)->attempts, 1);
    const std::vector<std::string> types{"pay"};
    ASSERT_NE(store_->orphan_reporter(), nullptr);
    EXPECT_TRUE(store_->orphan_reporter()->list_orphans(types, 10).empty());
    EXPECT_EQ(store_->leases_of(worker.node()).size(), 0U);
}

// ---- delete -------------------------------------------------------------------------------------

TEST_P(StorageTest, DeleteRemovesAJobWithItsKeyAndTags) {
    StoreWorker worker(*store_, "w", {"pay"});
    const JobId failed =
        enqueue_one(*store_, {.type = "pay", .tags = {"t"}, .idempotency_key = "k"});
    worker.fail(worker.claim_one());
    const JobId waiting =
        enqueue_one(*store_, {.type = "pay", .tags = {"t"}, .deadline_after = 1s});

    EXPECT_EQ(store_->delete_job(failed).outcome, Outcome::kDone);
    EXPECT_EQ(store_->delete_job(waiting).outcome, Outcome::kDone);

    EXPECT_EQ(store_->find_job(failed), std::nullopt);
    EXPECT_TRUE(list_all(*store_, {.tag = "t"}, 10).empty());
    EXPECT_TRUE(list_all(*store_, {}, 10).empty());
    EXPECT_TRUE(store_->type_counts().empty());
    EXPECT_EQ(store_->delete_job(failed).outcome, Outcome::kNotFound);
    clock_.advance(1h);
    EXPECT_EQ(store_->expire_jobs(10), 0);
    const NewJob strict{
        .type = "pay", .idempotency_key = "k", .on_duplicate = OnDuplicate::kRejectAlways};
    EXPECT_GT(enqueue_one(*store_, strict), waiting);  // free again, and ids are never reused
}

TEST_P(StorageTest, DeleteIsRefusedWhileALiveNodeRunsTheJob) {
    StoreWorker worker(*store_, "w", {"pay"});
    const JobId id = enqueue_one(*store_, {.type = "pay"});
    worker.claim_one();

    const ControlAnswer refused = store_->delete_job(id);
    EXPECT_EQ(refused.outcome, Outcome::kRefused);
    EXPECT_THAT(refused.reason, HasSubstr("node w"));

    worker.die();
    EXPECT_EQ(store_->delete_job(id).outcome, Outcome::kDone);
    EXPECT_EQ(store_->find_job(id), std::nullopt);
}

TEST_P(StorageTest, DeleteIsRefusedWhileALiveNodeOwesADeadLetterRun) {
    StoreWorker worker(*store_, "w", {"pay"});
    const JobId id = enqueue_one(*store_, {.type = "pay"});
    worker.fail(worker.claim_one(), {{DeadLetterKind::kHandler, "pay"}});

    const ControlAnswer refused = store_->delete_job(id);
    EXPECT_EQ(refused.outcome, Outcome::kRefused);
    EXPECT_THAT(refused.reason, HasSubstr("dead-letter run"));
    EXPECT_EQ(refused.state, JobState::kFailed);

    worker.die();
    EXPECT_EQ(store_->delete_job(id).outcome, Outcome::kDone);
    EXPECT_TRUE(store_->dead_letters(0, {}, 10, 0).empty());
}

// ---- pause, reload ------------------------------------------------------------------------------

TEST_P(StorageTest, PausesStandUntilTheyAreResumed) {
    EXPECT_TRUE(store_->pause(Pause::Kind::kQueue, "default", "", "ann"));
    EXPECT_FALSE(store_->pause(Pause::Kind::kQueue, "default", "", "bob"));
    EXPECT_TRUE(store_->pause(Pause::Kind::kType, "pay", "shop", "ann"));

    const std::vector<Pause> pauses = store_->pauses();
    ASSERT_EQ(pauses.size(), 2U);
    EXPECT_EQ(pauses[0].name, "default");
    EXPECT_EQ(pauses[0].by, "ann");
    EXPECT_EQ(pauses[0].at, clock_.now());
    EXPECT_EQ(pauses[1].kind, Pause::Kind::kType);
    EXPECT_EQ(pauses[1].service, "shop");

    EXPECT_FALSE(store_->resume(Pause::Kind::kType, "pay", ""));
    EXPECT_TRUE(store_->resume(Pause::Kind::kType, "pay", "shop"));
    EXPECT_TRUE(store_->resume(Pause::Kind::kQueue, "default", ""));
    EXPECT_FALSE(store_->resume(Pause::Kind::kQueue, "default", ""));
    EXPECT_TRUE(store_->pauses().empty());
}

TEST_P(StorageTest, APauseStopsClaimsAndAResumeStartsThem) {
    StoreWorker worker(*store_, "w", {"pay"});
    enqueue_one(*store_, {.type = "pay"});
    store_->pause(Pause::Kind::kQueue, "default", "", "ann");
    EXPECT_TRUE(worker.claim(1).empty());

    store_->resume(Pause::Kind::kQueue, "default", "");

    EXPECT_EQ(worker.claim(1).size(), 1U);
}

// ---- kept counts --------------------------------------------------------------------------------

using CountKey = std::tuple<std::string, std::string, std::string>;  // queue, type, state

/// Counted one by one, from the lists.
std::map<CountKey, std::int64_t> counted(Store& store) {
    std::map<CountKey, std::int64_t> counts;
    for (const Job& job : list_all(store, {}, 500)) {
        const bool waits = job.state == JobState::kScheduled || job.state == JobState::kEnqueued;
        const std::string state = waits ? "waiting" : std::string(to_string(job.state));
        ++counts[{job.queue, job.type, state}];
    }
    return counts;
}

std::map<CountKey, std::int64_t> kept(Store& store) {
    std::map<CountKey, std::int64_t> counts;
    for (const TypeCounts& one : store.type_counts()) {
        const std::vector<std::pair<std::string, std::int64_t>> states = {
            {"waiting", one.waiting}, {"processing", one.processing}, {"succeeded", one.succeeded},
            {"failed", one.failed},   {"expired", one.expired},       {"cancelled", one.cancelled}};
        for (const auto& [state, count] : states) {
            if (count != 0) counts[{one.queue, one.type, state}] = count;
        }
    }
    return counts;
}

/// A node that does everything that a node can, in a random order, beside operators.
class RandomLife {
public:
    RandomLife(Store& store, FakeClock& clock, unsigned seed)
        : store_(store), clock_(clock), random_(seed) {
        worker_.emplace(store_, "w", types_, queues_);
    }

    void step() {
        switch (random_() % 12) {
            case 0:
            case 1:
            case 2: enqueue(); break;
            case 3:
            case 4: claim(); break;
            case 5:
            case 6:
            case 7: end_run(); break;
            case 8: operate(); break;
            case 9: clock_.advance(std::chrono::seconds(random_() % 100)); break;
            case 10: store_.expire_jobs(3); break;
            default: rarely();
        }
    }

private:
    template <class List>
    const auto& any(const List& list) {
        return list[random_() % list.size()];
    }
    JobId any_job() { return last_ == 0 ? 1 : 1 + static_cast<JobId>(random_()) % last_; }

    void enqueue() {
        NewJob job{.type = any(types_),
                   .queue = any(queues_),
                   .priority = static_cast<Priority>(random_() % 4)};
        if (random_() % 4 == 0) job.delay = std::chrono::seconds(random_() % 200);
        if (random_() % 5 == 0) job.deadline_after = std::chrono::seconds(1 + random_() % 50);
        if (random_() % 3 == 0) job.idempotency_key = "k" + std::to_string(random_() % 8);
        if (random_() % 3 == 0) job.tags = {"t1", "t2"};
        last_ = std::max(last_, enqueue_one(store_, job));
    }

    void claim() {
        for (ClaimedJob& job : worker_->claim(3, random_() % 2)) runs_.push_back(std::move(job));
    }

    void end_run() {
        if (runs_.empty()) return;
        const std::size_t index = random_() % runs_.size();
        const ClaimedJob job = runs_[index];
        // Sometimes it is kept, so that a lost lease is used again.
        if (random_() % 8 != 0) runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(index));
        switch (random_() % 8) {
            case 0: worker_->fail(job, {{DeadLetterKind::kHandler, "a"}}); break;
            case 1: worker_->fail(job); break;
            case 2: worker_->retry(job, std::chrono::seconds(random_() % 60)); break;
            case 3: worker_->end(job, Snooze{.delay = 5s}); break;
            case 4: worker_->end(job, Release{}); break;
            case 5: worker_->end(job, Cancel{.reason = "discarded"}); break;
            case 6: worker_->end(job, Succeed{.jobs = {NewJob{.type = "b"}}}); break;
            default: worker_->succeed(job);
        }
    }

    void operate() {
        const JobId id = any_job();
        switch (random_() % 4) {
            case 0: store_.cancel_job(id, "ann"); break;
            case 1: store_.delete_job(id); break;
            default: store_.requeue_job(id, random_() % 2 == 0);
        }
    }

    void rarely() {
        switch (random_() % 4) {
            case 0:
                worker_->die();
                if (random_() % 2 == 0) store_.recover_orphans(types_, 5);
                worker_.emplace(store_, "w", types_, queues_);
                break;
            case 1:
                store_.leave(worker_->node());
                worker_.emplace(store_, "w", types_, queues_);
                break;
            case 2:
                store_.purge({.succeeded = 60s,
                              .failed = 90s,
                              .expired = 60s,
                              .cancelled = 60s,
                              .keys = 100s},
                             5);
                break;
            default: store_.recover_orphans(types_, 5);
        }
    }

    Store& store_;
    FakeClock& clock_;
    std::mt19937 random_;
    const std::vector<std::string> types_ = {"a", "b", "c"};
    const std::vector<std::string> queues_ = {"default", "other"};
    std::optional<StoreWorker> worker_;
    std::vector<ClaimedJob> runs_;
    JobId last_ = 0;
};

TEST_P(StorageTest, KeptCountsAreRightAfterAnyMixOfOperations) {
    RandomLife life(*store_, clock_, 20);
    for (int i = 1; i <= 3000; ++i) {
        life.step();
        if (i % 250 != 0) continue;
        ASSERT_EQ(kept(*store_), counted(*store_)) << "after step " << i;
    }
    std::set<std::string> states;
    for (const auto& [key, count] : kept(*store_)) states.insert(std::get<2>(key));
    EXPECT_GE(states.size(), 5U) << "the mix does not reach enough states to prove anything";
}

}  // namespace
}  // namespace jobhost::testing_support
