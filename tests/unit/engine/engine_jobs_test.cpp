#include <latch>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/engine/engine_fixture.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class EngineJobs : public EngineTest {};

TEST_F(EngineJobs, AJobThatReturnsIsSucceededWithAllItSaid) {
    add_type(types, "a", [](RunContext& context) -> RunResult {
        context.log(LogLevel::kInfo, "input is " + context.job().input);
        context.progress(80, "nearly");
        return Returned{};
    });
    const JobId id = enqueue({.type = "a", .input = R"({"n": 1.0})"});
    start();

    ASSERT_TRUE(settle());

    const Job done = job(id);
    EXPECT_EQ(done.state, JobState::kSucceeded);
    EXPECT_EQ(done.attempts, 1);
    EXPECT_EQ(done.max_attempts, 10);
    EXPECT_TRUE(done.started_at && done.finished_at);
    ASSERT_EQ(done.log.size(), 1U);
    EXPECT_EQ(done.log[0].text, R"(input is {"n": 1.0})");
    EXPECT_EQ(done.progress_percent, 80);
    EXPECT_EQ(events.count("job_started"), 1U);
    EXPECT_EQ(events.count("job_succeeded"), 1U);
}

TEST_F(EngineJobs, AJobEnqueuedWhileTheNodeIdlesRunsAsWell) {
    add_type(types, "a", [](RunContext&) -> RunResult { return Returned{}; });
    start();
    ASSERT_TRUE(settle());

    const JobId id = enqueue();

    EXPECT_TRUE(events.wait_for_job("job_succeeded", id));
}

TEST_F(EngineJobs, FailsIsRetriedAndSucceeds) {
    add_type(
        types, "a",
        [](RunContext& context) -> RunResult {
            if (context.job().attempt < 3) return Threw{thrown("Down", {"std::exception"})};
            return Returned{};
        },
        retry_at_once());
    const JobId id = enqueue();
    start();

    ASSERT_TRUE(settle());

    const Job done = job(id);
    EXPECT_EQ(done.state, JobState::kSucceeded);
    EXPECT_EQ(done.attempts, 3);
    ASSERT_EQ(done.errors.size(), 2U);
    EXPECT_EQ(done.errors[0].attempt, 1);
    EXPECT_EQ(done.errors[1].attempt, 2);
    EXPECT_EQ(done.errors[1].type, "Down");
    EXPECT_EQ(events.count("job_retried"), 2U);
}

TEST_F(EngineJobs, ARetryWaitsForItsTime) {
    PolicyLevel policy;
    policy.retry.initial_delay = 1h;
    add_type(
        types, "a", [](RunContext&) -> RunResult { return Threw{thrown("Down")}; }, policy);
    const JobId id = enqueue();
    start();

    ASSERT_TRUE(settle());

    EXPECT_EQ(job(id).state, JobState::kScheduled);
    EXPECT_GT(job(id).run_at, clock.now() + 50min);
    EXPECT_EQ(engine->leftover().later, 1);
}

TEST_F(EngineJobs, TheEnqueuersLimitIsTheOneInForce) {
    std::atomic<int> runs = 0;
    add_type(
        types, "a",
        [&](RunContext&) -> RunResult {
            ++runs;
            return Threw{thrown("Down")};
        },
        retry_at_once(3));
    const JobId eight = enqueue({.type = "a", .max_attempts = 8});
    start();
    ASSERT_TRUE(settle());
    EXPECT_EQ(runs, 8);
    EXPECT_EQ(job(eight).state, JobState::kFailed);
    EXPECT_EQ(job(eight).reason, "exhausted");

    runs = 0;
    enqueue({.type = "a", .max_attempts = 1});
    ASSERT_TRUE(settle());
    EXPECT_EQ(runs, 1);
}

TEST_F(EngineJobs, SnoozeDiscardAndRetryAfterEndAsTheyAsk) {
    add_type(types, "a", [](RunContext& context) -> RunResult {
        const std::string& wish = context.job().input;
        if (wish == R"("snooze")") return AskedToSnooze{1h};
        if (wish == R"("discard")") return AskedToDiscard{"order is gone"};
        ThrownError later = thrown("jobhost::RetryAfter");
        later.retry_after = 2h;
        return Threw{later};
    });
    const JobId snoozed = enqueue({.type = "a", .input = R"("snooze")", .max_attempts = 1});
    const JobId discarded = enqueue({.type = "a", .input = R"("discard")"});
    const JobId retried = enqueue({.type = "a", .input = R"("later")"});
    start();

    ASSERT_TRUE(settle());

    EXPECT_EQ(job(snoozed).state, JobState::kScheduled);
    EXPECT_EQ(job(snoozed).attempts, 0);
    EXPECT_EQ(job(snoozed).snoozes, 1);
    EXPECT_EQ(job(discarded).state, JobState::kCancelled);
    EXPECT_THAT(job(discarded).reason, HasSubstr("order is gone"));
    EXPECT_GT(job(retried).run_at, clock.now() + 119min);
    EXPECT_EQ(job(retried).attempts, 1);
}

TEST_F(EngineJobs, AMissedDeadlineExpiresAndIsNeverRun) {
    add_type(types, "a", [](RunContext&) -> RunResult { return Returned{}; });
    const JobId id = enqueue({.type = "a", .deadline_at = clock.now() - 1s});
    start();

    ASSERT_TRUE(settle());

    EXPECT_EQ(job(id).state, JobState::kExpired);
    EXPECT_EQ(events.count("job_started"), 0U);
}

TEST_F(EngineJobs, TypesThatNobodyLoadedStayEnqueued) {
    add_type(types, "a", [](RunContext&) -> RunResult { return Returned{}; });
    const JobId foreign = enqueue({.type = "foreign"});
    const JobId own = enqueue();
    start();

    ASSERT_TRUE(settle());

    EXPECT_EQ(job(own).state, JobState::kSucceeded);
    EXPECT_EQ(job(foreign).state, JobState::kEnqueued);
    EXPECT_EQ(job(foreign).attempts, 0);
}

// ---- prefetch

TEST_F(EngineJobs, PrefetchedJobsThatDoNotStartAreGivenBackOnceAndUnharmed) {
    std::latch go(1);
    settings.queues[0].workers = 1;
    add_type(types, "a", [&](RunContext& context) -> RunResult {
        if (context.job().input == R"("slow")") go.wait();
        return Returned{};
    });
    store.session().enqueue(std::vector<NewJob>(200, NewJob{.type = "a"}));
    start();
    ASSERT_TRUE(settle());

    std::vector<NewJob> behind(20, NewJob{.type = "a"});
    behind.front().input = R"("slow")";
    behind.back().max_attempts = 1;
    const auto stored = store.session().enqueue(behind);
    const auto& ids = std::get<std::vector<Enqueued>>(stored);
    ASSERT_TRUE(events.wait("job_released", 18));

    for (std::size_t i = 1; i < ids.size(); ++i) {
        const Job waiting = job(ids[i].id);
        EXPECT_EQ(waiting.state, JobState::kEnqueued);
        EXPECT_EQ(waiting.attempts, 0);
        EXPECT_FALSE(waiting.started_at.has_value());
    }
    EXPECT_EQ(job(ids.back().id).fence, 0) << "its attempt would be its last: never prefetched";
    go.count_down();
    ASSERT_TRUE(settle());
    EXPECT_EQ(job(ids.back().id).state, JobState::kSucceeded);
}

// ---- until empty

TEST_F(EngineJobs, UntilEmptyWaitsForNeitherALaterRunNorAPauseAndSaysWhatIsLeft) {
    add_type(types, "a", [](RunContext&) -> RunResult { return Returned{}; });
    add_type(types, "paused", [](RunContext&) -> RunResult { return Returned{}; });
    store.session().pause(Pause::Kind::kType, "paused", "", "ana");
    const JobId due = enqueue();
    enqueue({.type = "a", .delay = 1h});
    enqueue({.type = "paused"});
    enqueue({.type = "paused"});
    enqueue({.type = "foreign"});
    start();

    ASSERT_TRUE(settle());

    EXPECT_EQ(job(due).state, JobState::kSucceeded);
    EXPECT_EQ(engine->leftover().later, 1);
    EXPECT_EQ(engine->leftover().paused, 2);
}

TEST_F(EngineJobs, UntilEmptyWaitsForRunningJobsAndEndsWhenToldTo) {
    std::latch go(1);
    add_type(types, "a", [&](RunContext&) -> RunResult {
        go.wait();
        return Returned{};
    });
    const JobId id = enqueue();
    start();
    ASSERT_TRUE(events.wait_for_job("job_started", id));

    int asked = 0;
    EXPECT_FALSE(engine->wait_until_empty([&] { return ++asked > 3; }));
    go.count_down();

    EXPECT_TRUE(settle());
}

}  // namespace
}  // namespace jobhost
