#include <future>
#include <latch>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/engine/engine_fixture.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

class EngineStop : public EngineTest {
protected:
    EngineStop() { settings.queues[0].workers = 1; }

    std::future<bool> stop() {
        return std::async(std::launch::async, [this] { return engine->stop(); });
    }
};

TEST_F(EngineStop, IdleItStopsAtOnceAndSaysGoodbye) {
    add_type(types, "a", [](RunContext&) -> RunResult { return Returned{}; });
    start();
    const NodeId node = engine->node();

    EXPECT_TRUE(engine->stop());

    EXPECT_EQ(store.node(node).state, NodeState::kStopped);
    EXPECT_EQ(events.count("stop_phase"), 0U);
}

TEST_F(EngineStop, RunningJobsFinishWithinTheGraceUnasked) {
    std::latch go(1);
    std::promise<StopCause> saw;
    add_type(types, "a", [&](RunContext& context) -> RunResult {
        go.wait();
        saw.set_value(context.stop_cause());
        return Returned{};
    });
    const JobId id = enqueue();
    start();
    ASSERT_TRUE(events.wait_for_job("job_started", id));

    auto stopped = stop();
    go.count_down();

    EXPECT_TRUE(stopped.get());
    EXPECT_EQ(saw.get_future().get(), StopCause::kNone);
    EXPECT_EQ(job(id).state, JobState::kSucceeded);
    EXPECT_EQ(events.count("stop_phase"), 0U);
}

TEST_F(EngineStop, NothingNewIsClaimedWhileItStops) {
    settings.shutdown_grace = 0s;
    add_type(types, "a", [](RunContext& context) -> RunResult {
        context.wait(20s);
        return Returned{};
    });
    const JobId running = enqueue();
    start();
    ASSERT_TRUE(events.wait_for_job("job_started", running));
    const JobId waiting = enqueue();

    EXPECT_TRUE(engine->stop());

    EXPECT_EQ(job(waiting).state, JobState::kEnqueued);
    EXPECT_EQ(job(waiting).fence, 0);
}

TEST_F(EngineStop, AJobThatSawTheRequestIsGivenBackWithItsPlaceAndWithoutUsingTheAttempt) {
    settings.shutdown_grace = 0s;
    add_type(types, "a", [](RunContext& context) -> RunResult {
        context.wait(20s);
        return Returned{};
    });
    const JobId id = enqueue();
    const TimePoint place = job(id).run_at;
    start();
    ASSERT_TRUE(events.wait_for_job("job_started", id));

    EXPECT_TRUE(engine->stop());

    EXPECT_EQ(job(id).state, JobState::kEnqueued);
    EXPECT_EQ(job(id).attempts, 0);
    EXPECT_EQ(job(id).run_at, place);
    EXPECT_FALSE(job(id).last_error.has_value());
}

TEST_F(EngineStop, AJobThatThrowsBecauseOfTheRequestUsesNoAttempt) {
    settings.shutdown_grace = 0s;
    add_type(
        types, "a",
        [](RunContext& context) -> RunResult {
            context.wait(20s);
            return Threw{thrown("Interrupted")};
        },
        retry_at_once(1));
    const JobId id = enqueue();
    start();
    ASSERT_TRUE(events.wait_for_job("job_started", id));

    EXPECT_TRUE(engine->stop());

    EXPECT_EQ(job(id).state, JobState::kEnqueued);
    EXPECT_EQ(job(id).attempts, 0);
}

TEST_F(EngineStop, ACompletedJobIsSucceededWhateverItDoesThen) {
    settings.shutdown_grace = 0s;
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

    EXPECT_TRUE(engine->stop());

    EXPECT_EQ(job(id).state, JobState::kSucceeded);
}

TEST_F(EngineStop, ASecondSignalSkipsTheGrace) {
    settings.shutdown_grace = 1h;
    add_type(types, "a", [](RunContext& context) -> RunResult {
        return context.wait(20s) == StopCause::kShutdown ? RunResult(LeftEarly{})
                                                         : RunResult(Returned{});
    });
    const JobId id = enqueue();
    start();
    ASSERT_TRUE(events.wait_for_job("job_started", id));

    auto stopped = stop();
    engine->hurry();

    EXPECT_TRUE(stopped.get());
    EXPECT_EQ(job(id).state, JobState::kEnqueued);
}

TEST_F(EngineStop, TheNextNodeRunsWhatWasGivenBack) {
    settings.shutdown_grace = 0s;
    add_type(
        types, "a",
        [](RunContext& context) -> RunResult {
            if (context.job().lease.fence > 1) return Returned{};
            context.wait(20s);
            return LeftEarly{};
        },
        retry_at_once(1));
    const JobId id = enqueue();
    start();
    ASSERT_TRUE(events.wait_for_job("job_started", id));
    ASSERT_TRUE(engine->stop());
    engine.reset();

    start();
    ASSERT_TRUE(settle());

    EXPECT_EQ(job(id).state, JobState::kSucceeded);
    EXPECT_EQ(job(id).attempts, 1);
}

TEST_F(EngineStop, RunningDeadLetterHandlersAreAskedToStopToo) {
    settings.shutdown_grace = 0s;
    std::promise<void> reached;
    std::promise<StopCause> saw;
    add_type(
        types, "a", [](RunContext&) -> RunResult { return Threw{thrown("Down")}; },
        retry_at_once(1),
        [&](const Job&, PluginContext& context) {
            reached.set_value();
            saw.set_value(context.wait(20s));
            return std::nullopt;
        });
    const JobId id = enqueue();
    start();
    reached.get_future().wait();

    EXPECT_TRUE(engine->stop());

    EXPECT_EQ(saw.get_future().get(), StopCause::kShutdown);
    EXPECT_THAT(store.dead_letters(id), testing::ElementsAre("a succeeded"));
}

}  // namespace
}  // namespace jobhost
