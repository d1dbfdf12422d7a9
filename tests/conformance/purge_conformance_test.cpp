// What every storage engine must keep and let go: see JobControl::purge.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/conformance/storage_fixture.h"
#include "tests/conformance/store_worker.h"

namespace jobhost::testing_support {
namespace {

using namespace std::chrono_literals;

constexpr Duration kDay = 24h;
constexpr RetentionTimes kWeek{.succeeded = 7 * kDay,
                               .failed = 30 * kDay,
                               .expired = 7 * kDay,
                               .cancelled = 7 * kDay,
                               .keys = 30 * kDay};

/// Batches until there is nothing more.
PurgeCount purge_all(Store& store, const RetentionTimes& keep, int batch = 100) {
    PurgeCount sum;
    for (int batches = 0; batches < 1000; ++batches) {
        const PurgeCount one = store.purge(keep, batch);
        sum.jobs += one.jobs;
        sum.keys += one.keys;
        sum.nodes += one.nodes;
        EXPECT_LE(one.jobs, batch);
        if (!one.more) return sum;
    }
    ADD_FAILURE() << "the purge does not end";
    return sum;
}

std::size_t jobs_left(Store& store) {
    return list_all(store, {}, 100).size();
}

TEST_P(StorageTest, EveryStateGoesAfterItsOwnTime) {
    StoreWorker worker(*store_, "w", {"pay"});
    const JobId succeeded = enqueue_one(*store_, {.type = "pay", .tags = {"t"}});
    worker.succeed(worker.claim_one());
    const JobId failed = enqueue_one(*store_, {.type = "pay"});
    worker.fail(worker.claim_one());
    const JobId cancelled = enqueue_one(*store_, {.type = "pay"});
    store_->cancel_job(cancelled, "ann");
    const JobId expired = enqueue_one(*store_, {.type = "pay", .deadline_in = 1s});
    const JobId waiting = enqueue_one(*store_, {.type = "pay", .delay = 400 * kDay});
    clock_.advance(2s);
    ASSERT_EQ(store_->expire_jobs(10), 1);
    clock_.advance(1s);
    const RetentionTimes keep{.succeeded = 1 * kDay,
                              .failed = 4 * kDay,
                              .expired = 3 * kDay,
                              .cancelled = 2 * kDay,
                              .keys = 30 * kDay};

    EXPECT_EQ(purge_all(*store_, keep).jobs, 0);
    const std::vector<JobId> order = {succeeded, cancelled, expired, failed};
    for (const JobId id : order) {
        clock_.advance(kDay);
        EXPECT_EQ(purge_all(*store_, keep).jobs, 1);
        EXPECT_EQ(store_->find_job(id), std::nullopt);
    }

    EXPECT_TRUE(store_->find_job(waiting).has_value());
    EXPECT_EQ(jobs_left(*store_), 1U);
    EXPECT_TRUE(list_all(*store_, {.tag = "t"}, 10).empty());
    EXPECT_EQ(store_->type_counts().at(0).waiting, 1);
    EXPECT_EQ(store_->type_counts().at(0).failed, 0);
}

TEST_P(StorageTest, RetentionZeroKeepsForEver) {
    StoreWorker worker(*store_, "w", {"pay"});
    enqueue_one(*store_, {.type = "pay", .idempotency_key = "a"});
    worker.succeed(worker.claim_one());
    enqueue_one(*store_, {.type = "pay"});
    worker.fail(worker.claim_one());
    store_->cancel_job(enqueue_one(*store_, {.type = "pay"}), "ann");
    clock_.advance(3650 * kDay);

    const PurgeCount count = purge_all(*store_, {});

    EXPECT_EQ(count.jobs, 0);
    EXPECT_EQ(count.keys, 0);
    EXPECT_EQ(jobs_left(*store_), 3U);
}

TEST_P(StorageTest, TheAgeOfAJobIsCountedFromItsEnd) {
    StoreWorker worker(*store_, "w", {"pay"});
    enqueue_one(*store_, {.type = "pay"});
    const ClaimedJob slow = worker.claim_one();
    clock_.advance(20 * kDay);
    worker.succeed(slow);
    clock_.advance(6 * kDay);
    EXPECT_EQ(purge_all(*store_, kWeek).jobs, 0);

    clock_.advance(2 * kDay);

    EXPECT_EQ(purge_all(*store_, kWeek).jobs, 1);
}

TEST_P(StorageTest, SmallBatchesGetThroughWhatMustStay) {
    StoreWorker worker(*store_, "w", {"pay"});
    for (int i = 0; i < 60; ++i) {
        enqueue_one(*store_, {.type = "pay"});
        const ClaimedJob job = worker.claim_one();
        if (i % 20 == 19) {
            worker.succeed(job);
        } else {
            worker.end(job, Cancel{.reason = "kept"});
        }
        clock_.advance(1h);
    }
    clock_.advance(30 * kDay);
    RetentionTimes keep = kWeek;
    keep.cancelled = Duration::zero();

    EXPECT_EQ(purge_all(*store_, keep, 1).jobs, 3);

    EXPECT_EQ(jobs_left(*store_), 57U);
    // The next pass begins at the oldest again.
    EXPECT_EQ(purge_all(*store_, kWeek, 2).jobs, 57);
}

TEST_P(StorageTest, JobsWithOpenDeadLetterRunsStay) {
    StoreWorker worker(*store_, "w", {"pay"});
    const JobId failed = enqueue_one(*store_, {.type = "pay"});
    const WriteAnswer first = worker.fail(worker.claim_one(), {{DeadLetterKind::kHandler, "pay"}});
    const JobId requeued = enqueue_one(*store_, {.type = "pay"});
    worker.fail(worker.claim_one(), {{DeadLetterKind::kHandler, "pay"}});
    store_->requeue_job(requeued, false);
    worker.succeed(worker.claim_one());
    enqueue_one(*store_, {.type = "pay"});
    worker.fail(worker.claim_one());
    clock_.advance(100 * kDay);

    EXPECT_EQ(purge_all(*store_, kWeek, 1).jobs, 1);
    EXPECT_TRUE(store_->find_job(failed).has_value());
    EXPECT_TRUE(store_->find_job(requeued).has_value());

    ASSERT_EQ(first.owed.size(), 1U);
    worker.write(StartDeadLetter{.run = first.owed[0].run});
    worker.write(FinishDeadLetter{.run = first.owed[0].run});
    EXPECT_EQ(purge_all(*store_, kWeek, 1).jobs, 1);
    EXPECT_EQ(store_->find_job(failed), std::nullopt);
    EXPECT_EQ(store_->dead_letters(failed, {}, 10, 0).size(), 0U);
}

TEST_P(StorageTest, PurgingAJobDoesNotReopenItsKey) {
    StoreWorker worker(*store_, "w", {"pay"});
    const JobId done = enqueue_one(*store_, {.type = "pay", .idempotency_key = "done"});
    worker.succeed(worker.claim_one());
    const JobId failed = enqueue_one(*store_, {.type = "pay", .idempotency_key = "failed"});
    worker.fail(worker.claim_one());
    clock_.advance(20 * kDay);
    RetentionTimes keep = kWeek;
    keep.failed = 7 * kDay;
    ASSERT_EQ(purge_all(*store_, keep).jobs, 2);

    // The succeeded one is still the answer, and the failed one still the reason.
    EXPECT_EQ(enqueue_one(*store_, {.type = "pay", .idempotency_key = "done"}), done);
    const std::vector<NewJob> strict{
        {.type = "pay", .idempotency_key = "failed", .on_duplicate = OnDuplicate::kRejectIfFailed}};
    const EnqueueResult refused = store_->enqueue(strict);
    ASSERT_TRUE(std::holds_alternative<EnqueueRefusal>(refused));
    EXPECT_EQ(std::get<EnqueueRefusal>(refused).existing, failed);

    clock_.advance(11 * kDay);
    EXPECT_EQ(purge_all(*store_, keep).keys, 2);
    EXPECT_GT(enqueue_one(*store_, {.type = "pay", .idempotency_key = "done"}), failed);
}

TEST_P(StorageTest, AKeyStaysWhileItsJobIsLive) {
    StoreWorker worker(*store_, "w", {"pay"});
    const JobId waiting =
        enqueue_one(*store_, {.type = "pay", .delay = 90 * kDay, .idempotency_key = "k"});
    clock_.advance(60 * kDay);

    EXPECT_EQ(purge_all(*store_, kWeek, 1).keys, 0);

    EXPECT_EQ(enqueue_one(*store_, {.type = "pay", .idempotency_key = "k"}), waiting);
    clock_.advance(31 * kDay);
    const ClaimedJob run = worker.claim_one();
    EXPECT_EQ(purge_all(*store_, kWeek, 1).keys, 0);
    worker.succeed(run);
    EXPECT_EQ(purge_all(*store_, kWeek, 1).keys, 1);
}

TEST_P(StorageTest, NodesGoWhenTheyAreGoneAndNothingNamesThem) {
    const std::unique_ptr<Store> second_session = session();
    const std::unique_ptr<Store> third_session = session();
    StoreWorker live(*store_, "a", {"pay"});
    StoreWorker with_job(*second_session, "b", {"pay"});
    StoreWorker stopped(*third_session, "c", {"pay"});
    const JobId id = enqueue_one(*store_, {.type = "pay"});
    with_job.claim_one();
    with_job.die();
    store_->leave(stopped.node());

    EXPECT_EQ(purge_all(*store_, kWeek).nodes, 1);
    EXPECT_EQ(store_->nodes().size(), 2U);

    store_->cancel_job(id, "ann");
    EXPECT_EQ(purge_all(*store_, kWeek).nodes, 1);
    ASSERT_EQ(store_->nodes().size(), 1U);
    EXPECT_EQ(store_->nodes()[0].id, live.node());
}

TEST_P(StorageTest, ANodeWithOwedRunsStays) {
    StoreWorker worker(*store_, "w", {"pay"});
    enqueue_one(*store_, {.type = "pay"});
    worker.fail(worker.claim_one(), {{DeadLetterKind::kHandler, "pay"}});
    worker.die();

    EXPECT_EQ(purge_all(*store_, kWeek).nodes, 0);
    const std::vector<std::string> types{"pay"};
    store_->close_dead_letters(types, {});
    EXPECT_EQ(purge_all(*store_, kWeek).nodes, 1);
}

}  // namespace
}  // namespace jobhost::testing_support
