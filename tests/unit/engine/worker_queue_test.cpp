#include "host/engine/worker_queue.h"

#include <future>
#include <latch>

#include <gtest/gtest.h>

#include "tests/unit/engine/engine_parts.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

/// A queue whose jobs take the (fake) time `takes`, or wait for `go` when `blocks` is set.
class WorkerQueueTest : public testing::Test {
protected:
    WorkerQueueTest() {
        add_type(parts.types, "a", [this](RunContext& context) -> RunResult {
            started.push_back(context.job().lease.job);
            if (context.job().lease.job == blocking_job) {
                reached.count_down();
                go.wait();
            }
            parts.clock.advance(takes);
            return Returned{};
        });
    }

    void start(int workers) {
        plan = parts.plan(workers);
        queue = std::make_unique<WorkerQueue>("default", workers, parts.executor, watchdog,
                                              parts.services);
    }

    std::vector<std::shared_ptr<jobhost::Run>> runs(JobId first, JobId last) {
        std::vector<std::shared_ptr<jobhost::Run>> made;
        for (JobId job = first; job <= last; ++job) made.push_back(parts.run_of(plan, job));
        return made;
    }

    /// Runs jobs one after the other and waits for all of them.
    void run_through(JobId first, JobId last) {
        queue->put(runs(first, last));
        for (JobId job = first; job <= last; ++job) parts.next_write();
    }

    /// Holds the only worker until `let_go`.
    void hold_worker(JobId job) {
        blocking_job = job;
        queue->put(runs(job, job));
        reached.wait();
    }
    void let_go() { go.count_down(); }

    EngineParts parts;
    Watchdog watchdog{parts.clock};
    Duration takes = 1ms;
    JobId blocking_job = 0;
    std::latch reached{1};
    std::latch go{1};
    std::vector<JobId> started;  // with one worker: only it writes
    std::shared_ptr<const Plan> plan;
    std::unique_ptr<WorkerQueue> queue;
};

TEST_F(WorkerQueueTest, RunsInTheOrderGivenAndHandsOverEachOutcome) {
    start(1);

    queue->put(runs(1, 3));
    for (JobId job = 1; job <= 3; ++job) {
        const PendingWrite write = parts.next_write();
        const auto& report = std::get<RunReport>(write.write);
        EXPECT_EQ(report.lease.job, job);
        EXPECT_TRUE(std::holds_alternative<Succeed>(report.next));
        EXPECT_TRUE(report.started_at.has_value());
    }
}

TEST_F(WorkerQueueTest, WhoeverSeesTheOutcomeMayCountOnTheWorker) {
    start(1);

    run_through(1, 1);

    EXPECT_EQ(queue->free(), 1);
}

TEST_F(WorkerQueueTest, FreeCountsNeitherBusyWorkersNorThoseWithAJobReady) {
    start(1);
    EXPECT_EQ(queue->free(), 1);
    hold_worker(1);
    EXPECT_EQ(queue->free(), 0);

    queue->put(runs(2, 3));
    EXPECT_EQ(queue->free(), 0);
    EXPECT_EQ(queue->ready(), 2);

    let_go();
    for (int job = 1; job <= 3; ++job) parts.next_write();
    EXPECT_EQ(queue->free(), 1);
}

TEST_F(WorkerQueueTest, NothingIsPrefetchedBeforeARunWasMeasured) {
    start(4);

    EXPECT_EQ(queue->wanted_ready(), 0);
}

TEST_F(WorkerQueueTest, PrefetchesAboutTwentyMillisecondsOfWorkPerWorkerUnderFiveMilliseconds) {
    start(2);
    takes = 1ms;

    run_through(1, 1);

    EXPECT_EQ(queue->wanted_ready(), 40);
}

TEST_F(WorkerQueueTest, NothingIsPrefetchedFromFiveMillisecondsOn) {
    start(1);

    takes = 4999us;
    run_through(1, 1);
    EXPECT_EQ(queue->wanted_ready(), 4);
    takes = 5001us + 16 * 1us;
    run_through(2, 2);
    EXPECT_EQ(queue->wanted_ready(), 0);
}

TEST_F(WorkerQueueTest, ARecentSlowRunEndsPrefetchingAndFastOnesBringItBack) {
    start(1);
    takes = 100us;
    run_through(1, 1);
    ASSERT_GT(queue->wanted_ready(), 0);

    takes = 1s;
    run_through(2, 2);
    EXPECT_EQ(queue->wanted_ready(), 0);

    takes = 100us;
    run_through(3, 200);
    EXPECT_GT(queue->wanted_ready(), 0);
}

TEST_F(WorkerQueueTest, PrefetchIsBoundedForJobsThatTakeNoTime) {
    start(4);
    takes = 0s;

    run_through(1, 1);

    EXPECT_EQ(queue->wanted_ready(), 1000);
}

TEST_F(WorkerQueueTest, TakesBackWhatHasNotStartedInOrder) {
    start(1);
    hold_worker(1);
    queue->put(runs(2, 4));

    const auto taken = queue->take_back();

    ASSERT_EQ(taken.size(), 3U);
    EXPECT_EQ(taken[0]->job().lease.job, 2);
    EXPECT_EQ(taken[2]->job().lease.job, 4);
    EXPECT_EQ(queue->ready(), 0);
    let_go();
    parts.next_write();
    EXPECT_EQ(started, std::vector<JobId>{1});
}

TEST_F(WorkerQueueTest, TakesBackOnlyWhatWasPrefetchedLongEnoughAgo) {
    start(1);
    hold_worker(1);
    auto claimed_for_a_worker = runs(2, 2);
    auto old = runs(3, 3);
    old[0]->is_prefetched = true;
    parts.clock.advance(100ms);
    auto young = runs(4, 4);
    young[0]->is_prefetched = true;
    queue->put(claimed_for_a_worker);
    queue->put(old);
    queue->put(young);

    const auto taken = queue->take_back_prefetched(parts.clock.steady_now() - 100ms);

    ASSERT_EQ(taken.size(), 1U);
    EXPECT_EQ(taken[0]->job().lease.job, 3);
    EXPECT_EQ(queue->ready(), 2);
    let_go();
    parts.next_write();
    parts.next_write();
}

TEST_F(WorkerQueueTest, NothingIsPrefetchedAgainUntilTheRunThatHeldItUpEnds) {
    start(1);
    run_through(1, 1);
    hold_worker(2);
    auto prefetched = runs(3, 3);
    prefetched[0]->is_prefetched = true;
    queue->put(prefetched);
    EXPECT_GT(queue->wanted_ready(), 0);
    parts.clock.advance(100ms);

    ASSERT_EQ(queue->take_back_prefetched(parts.clock.steady_now()).size(), 1U);

    EXPECT_EQ(queue->wanted_ready(), 0);
    takes = 0s;
    let_go();
    parts.next_write();
    run_through(4, 200);
    EXPECT_GT(queue->wanted_ready(), 0);
}

TEST_F(WorkerQueueTest, ClosedItStartsNothingMore) {
    start(1);
    hold_worker(1);
    queue->put(runs(2, 2));

    queue->close();
    let_go();
    parts.next_write();
    EXPECT_EQ(queue->free(), 0);
    EXPECT_EQ(queue->wanted_ready(), 0);
    queue.reset();

    EXPECT_EQ(started, std::vector<JobId>{1});
}

TEST_F(WorkerQueueTest, ARunThatLostItsLeaseIsNotStarted) {
    start(1);
    hold_worker(1);
    auto lost = runs(2, 2);
    lost[0]->request_stop(StopCause::kLeaseLost);
    queue->put(lost);
    queue->put(runs(3, 3));
    let_go();

    EXPECT_EQ(parts.next_write().run->job().lease.job, 1);
    EXPECT_EQ(parts.next_write().run->job().lease.job, 3);
    EXPECT_EQ(started, (std::vector<JobId>{1, 3}));
}

TEST_F(WorkerQueueTest, ARunPastItsDeadlineExpiresUnstarted) {
    start(1);
    ClaimedJob late = EngineParts::claimed(1);
    late.expires_at = parts.clock.now() - 1us;
    ClaimedJob in_time = EngineParts::claimed(2);
    in_time.expires_at = parts.clock.now();
    queue->put({parts.run_of(plan, late)});
    queue->put({parts.run_of(plan, in_time)});

    const PendingWrite first = parts.next_write();
    const PendingWrite second = parts.next_write();

    EXPECT_TRUE(std::holds_alternative<Expire>(std::get<RunReport>(first.write).next));
    EXPECT_TRUE(std::holds_alternative<Succeed>(std::get<RunReport>(second.write).next));
    EXPECT_EQ(started, std::vector<JobId>{2});
}

TEST_F(WorkerQueueTest, AnOperatorsCancelBeforeTheStartIsTheOutcome) {
    start(1);
    auto cancelled = runs(1, 1);
    cancelled[0]->request_stop(StopCause::kOperator, "ana");

    queue->put(cancelled);
    const PendingWrite write = parts.next_write();

    const auto* cancel = std::get_if<Cancel>(&std::get<RunReport>(write.write).next);
    ASSERT_NE(cancel, nullptr);
    EXPECT_EQ(cancel->reason, "cancelled by ana");
    EXPECT_FALSE(std::get<RunReport>(write.write).started_at.has_value());
    EXPECT_TRUE(started.empty());
}

}  // namespace
}  // namespace jobhost
