#include <future>
#include <latch>

#include <gtest/gtest.h>

#include "tests/unit/engine/engine_fixture.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

class EngineCancel : public EngineTest {};

// ---- the time limit

PolicyLevel limited(Duration timeout, int max_attempts) {
    PolicyLevel policy = retry_at_once(max_attempts);
    policy.timeout = timeout;
    return policy;
}

TEST_F(EngineCancel, ASuccessAfterTheTimeLimitFailsWithTimeoutError) {
    add_type(
        types, "a",
        [](RunContext& context) -> RunResult {
            context.enqueue_on_success({.type = "b"});
            context.wait(20s);
            return Returned{};
        },
        limited(20ms, 1));
    const JobId id = enqueue();
    start();

    ASSERT_TRUE(settle());

    const Job failed = job(id);
    EXPECT_EQ(failed.state, JobState::kFailed);
    EXPECT_EQ(failed.reason, "exhausted");
    ASSERT_TRUE(failed.last_error.has_value());
    EXPECT_EQ(failed.last_error->type, "jobhost::TimeoutError");
    EXPECT_EQ(events.count("timeout_reached"), 1U);
    EXPECT_EQ(events.count("late_success"), 1U);
    EXPECT_EQ(events.count("job_succeeded"), 0U);
    EXPECT_EQ(store.session().count_jobs({.type = "b"}, 10), 0) << "dropped with the success";
}

TEST_F(EngineCancel, ATimedOutAttemptIsRetriedAfterItsCodeHasReturned) {
    add_type(
        types, "a",
        [](RunContext& context) -> RunResult {
            if (context.job().attempt == 2) return Returned{};
            context.wait(20s);
            return LeftEarly{};
        },
        limited(20ms, 5));
    const JobId id = enqueue();
    start();

    ASSERT_TRUE(settle());

    EXPECT_EQ(job(id).state, JobState::kSucceeded);
    EXPECT_EQ(job(id).attempts, 2);
    EXPECT_EQ(events.count("late_success"), 0U);
}

// ---- an operator cancels

TEST_F(EngineCancel, CancelledBeforeItRunsItNeverDoes) {
    std::latch reached(1);
    std::latch go(1);
    settings.queues[0].workers = 1;
    add_type(types, "a", [&](RunContext&) -> RunResult {
        reached.count_down();
        go.wait();
        return Returned{};
    });
    enqueue();
    const JobId waiting = enqueue();
    start();
    reached.wait();

    const ControlAnswer answer = store.session().cancel_job(waiting, "ana");
    go.count_down();
    ASSERT_TRUE(settle());

    EXPECT_EQ(answer.outcome, ControlAnswer::Outcome::kDone);
    EXPECT_EQ(job(waiting).state, JobState::kCancelled);
    EXPECT_EQ(job(waiting).reason, "cancelled by ana");
    EXPECT_EQ(events.count("job_started"), 1U);
}

TEST_F(EngineCancel, CancelledWhileItRunsAndLooksItEndsAsCancelled) {
    add_type(types, "a", [](RunContext& context) -> RunResult {
        if (context.wait(20s) != StopCause::kOperator) return Returned{};
        return LeftEarly{};
    });
    const JobId id = enqueue();
    start();
    ASSERT_TRUE(events.wait_for_job("job_started", id));

    EXPECT_EQ(store.session().cancel_job(id, "ana").outcome, ControlAnswer::Outcome::kRequested);
    ASSERT_TRUE(settle());

    EXPECT_EQ(job(id).state, JobState::kCancelled);
    EXPECT_EQ(job(id).reason, "cancelled by ana");
    EXPECT_EQ(events.count("job_cancelled"), 1U);
}

/// A job that is cancelled while it runs and never looks; it ends as `result` says.
class CancelUnseen : public EngineTest {
protected:
    Job run(RunResult result) {
        std::latch go(1);
        add_type(
            types, "a",
            [&](RunContext&) -> RunResult {
                go.wait();
                return result;
            },
            retry_at_once());
        const JobId id = enqueue();
        // Requests come in the order in which they were made: this one says that the cancellation
        // has arrived.
        std::promise<void> told;
        start({.asked = [&](const NodeRequest&) { told.set_value(); }});
        EXPECT_TRUE(events.wait_for_job("job_started", id));
        store.session().cancel_job(id, "ana");
        store.session().ask_node(engine->node(), NodeRequest::Kind::kReload, "", "ana");
        told.get_future().wait();
        go.count_down();
        EXPECT_TRUE(settle());
        return job(id);
    }
};

TEST_F(CancelUnseen, AndReturnsItHasSucceeded) {
    EXPECT_EQ(run(Returned{}).state, JobState::kSucceeded);
}

TEST_F(CancelUnseen, AndThrowsItIsCancelledInsteadOfRetried) {
    const Job ended = run(Threw{thrown("Down")});

    EXPECT_EQ(ended.state, JobState::kCancelled);
    EXPECT_EQ(ended.reason, "cancelled by ana");
    EXPECT_EQ(ended.attempts, 1);
}

TEST_F(CancelUnseen, AndSnoozesItIsCancelled) {
    EXPECT_EQ(run(AskedToSnooze{1h}).state, JobState::kCancelled);
}

TEST_F(EngineCancel, CompleteBeforeTheCancelFixesSuccess) {
    std::promise<void> completed;
    add_type(types, "a", [&](RunContext& context) -> RunResult {
        context.complete();
        completed.set_value();
        context.wait(20s);
        return Threw{thrown("Interrupted")};
    });
    const JobId id = enqueue();
    start();
    completed.get_future().wait();

    store.session().cancel_job(id, "ana");
    ASSERT_TRUE(settle());

    EXPECT_EQ(job(id).state, JobState::kSucceeded);
    EXPECT_EQ(events.last("error_dropped").text, "Interrupted") << "but it is said";
    EXPECT_EQ(events.last("error_dropped").more, "it had called complete()");
}

}  // namespace
}  // namespace jobhost
