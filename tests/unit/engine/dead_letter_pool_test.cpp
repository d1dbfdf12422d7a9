#include "host/engine/dead_letter_pool.h"

#include <future>

#include <gtest/gtest.h>

#include "storage/storage_error.h"
#include "tests/support/forwarding_store.h"
#include "tests/unit/engine/engine_parts.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

/// A store that only knows failed jobs; the first `outages` reads fail.
class FailedJobs final : public ForwardingStore {
public:
    explicit FailedJobs(int outages) : ForwardingStore(nullptr), outages_(outages) {}

    std::optional<Job> find_job(JobId id) override {
        if (outages_-- > 0) throw StorageError(StorageError::Kind::kBusy, "locked");
        if (id == kDeleted) return std::nullopt;
        Job job;
        job.id = id;
        job.type = "a";
        job.state = JobState::kFailed;
        return job;
    }

    static constexpr JobId kDeleted = 404;

private:
    int outages_;
};

class DeadLetterPoolTest : public testing::Test {
protected:
    ~DeadLetterPoolTest() override { parts.writes.close(); }

    void start(int outages = 0) {
        parts.settings.dead_letter_workers = 1;
        parts.settings.dead_letter_timeout = 5min;
        plans = std::make_unique<CurrentPlan>(parts.plan());
        pool = std::make_unique<DeadLetterPool>(
            *plans, parts.types, std::make_unique<FailedJobs>(outages), watchdog, parts.services);
    }

    static OwedRun handler_of(JobId job) {
        return {job * 10, job, "a", DeadLetterKind::kHandler, "a"};
    }
    static OwedRun forwarder_of(JobId job, const std::string& name) {
        return {job * 10 + 1, job, "a", DeadLetterKind::kForwarder, name};
    }

    /// Answers the next guarded start: true lets the code be called.
    void answer_start(std::int64_t run, bool stored = true) {
        const PendingWrite write = parts.next_write();
        const auto* asked = std::get_if<StartDeadLetter>(&write.write);
        ASSERT_NE(asked, nullptr);
        EXPECT_EQ(asked->run, run);
        WriteAnswer answer;
        if (!stored) answer.outcome = WriteAnswer::Outcome::kLeaseLost;
        if (write.answered) write.answered(answer);
    }

    FinishDeadLetter next_finish() {
        const PendingWrite write = parts.next_write();
        const auto* finish = std::get_if<FinishDeadLetter>(&write.write);
        return finish != nullptr ? *finish : FinishDeadLetter{-1};
    }

    EngineParts parts;
    Watchdog watchdog{parts.clock};
    std::unique_ptr<CurrentPlan> plans;
    std::unique_ptr<DeadLetterPool> pool;
};

RunResult never_run(RunContext&) {
    return Returned{};
}

TEST_F(DeadLetterPoolTest, TheHandlerIsCalledAfterItsStartIsStored) {
    std::promise<JobId> called;
    add_type(parts.types, "a", never_run, {}, [&](const Job& job, PluginContext&) {
        called.set_value(job.id);
        return std::nullopt;
    });
    start();
    pool->add({handler_of(1)});

    auto call = called.get_future();
    EXPECT_EQ(call.wait_for(0s), std::future_status::timeout);
    answer_start(10);

    EXPECT_EQ(call.get(), 1);
    const FinishDeadLetter finish = next_finish();
    EXPECT_EQ(finish.run, 10);
    EXPECT_EQ(finish.state, DeadLetterState::kSucceeded);
}

TEST_F(DeadLetterPoolTest, ARunThatSomebodyElseTookIsNotCalled) {
    std::atomic<int> calls = 0;
    add_type(parts.types, "a", never_run, {}, [&](const Job&, PluginContext&) {
        ++calls;
        return std::nullopt;
    });
    start();
    pool->add({handler_of(1), handler_of(2)});

    answer_start(10, false);
    answer_start(20);

    EXPECT_EQ(next_finish().run, 20);
    EXPECT_EQ(calls, 1);
}

TEST_F(DeadLetterPoolTest, WhatTheHandlerThrowsStopsNobodyElse) {
    add_type(parts.types, "a", never_run, {},
             [](const Job&, PluginContext&) { return thrown("Broken", {}, "no mail server"); });
    add_forwarder(
        parts.types, "audit", [](const Job&) { return true; },
        [](const Job&, PluginContext&) { return std::nullopt; });
    start();
    pool->add({handler_of(1), forwarder_of(1, "audit")});

    answer_start(10);
    const FinishDeadLetter handler = next_finish();
    answer_start(11);
    const FinishDeadLetter forwarder = next_finish();

    EXPECT_EQ(handler.state, DeadLetterState::kFailed);
    EXPECT_EQ(handler.error, "Broken: no mail server");
    EXPECT_EQ(forwarder.state, DeadLetterState::kSucceeded);
}

TEST_F(DeadLetterPoolTest, AForwarderThatDoesNotApplyIsClosedWithoutAStart) {
    add_forwarder(
        parts.types, "audit", [](const Job&) { return false; },
        [](const Job&, PluginContext&) { return std::nullopt; });
    start();
    pool->add({forwarder_of(1, "audit")});

    const FinishDeadLetter finish = next_finish();

    EXPECT_EQ(finish.run, 11);
    EXPECT_EQ(finish.state, DeadLetterState::kNotApplicable);
}

TEST_F(DeadLetterPoolTest, AStoreThatIsAwayForAReadOnlyDelaysTheRun) {
    add_type(parts.types, "a", never_run, {},
             [](const Job&, PluginContext&) { return std::nullopt; });
    start(1);
    pool->add({handler_of(1)});

    answer_start(10);

    EXPECT_EQ(next_finish().state, DeadLetterState::kSucceeded);
}

TEST_F(DeadLetterPoolTest, TheRunOfADeletedJobIsSkipped) {
    add_type(parts.types, "a", never_run, {},
             [](const Job&, PluginContext&) { return std::nullopt; });
    start();
    pool->add({handler_of(FailedJobs::kDeleted), handler_of(1)});

    answer_start(10);

    EXPECT_EQ(next_finish().run, 10);
}

TEST_F(DeadLetterPoolTest, PastItsLimitARunIsAskedToStopAndTenSecondsLaterWrittenOff) {
    std::promise<void> reached;
    std::promise<void> go;
    const std::shared_future<void> gone = go.get_future().share();
    std::promise<StopCause> saw;
    add_type(parts.types, "a", never_run, {}, [&](const Job& job, PluginContext& context) {
        if (job.id != 1) return std::optional<ThrownError>();
        reached.set_value();
        saw.set_value(context.wait(1h));
        gone.wait();
        return std::optional<ThrownError>();
    });
    add_forwarder(
        parts.types, "audit", [](const Job&) { return true; },
        [](const Job&, PluginContext&) { return std::nullopt; });
    start();
    pool->add({handler_of(1), forwarder_of(1, "audit")});
    pool->add({handler_of(2)});
    answer_start(10);
    reached.get_future().wait();

    parts.clock.advance(5min);
    watchdog.look_now();
    EXPECT_EQ(saw.get_future().get(), StopCause::kTimeout);
    EXPECT_EQ(parts.writes.size(), 0U) << "not written off yet";

    parts.clock.advance(10s);
    watchdog.look_now();
    const FinishDeadLetter written_off = next_finish();
    EXPECT_EQ(written_off.run, 10);
    EXPECT_EQ(written_off.state, DeadLetterState::kTimedOut);
    EXPECT_TRUE(parts.events.wait("dead_letter_ignored_cancellation"));

    // Its thread is replaced: the job's forwarder and the next job go on.
    answer_start(11);
    EXPECT_EQ(next_finish().run, 11);
    answer_start(20);
    EXPECT_EQ(next_finish().run, 20);

    // What the code does at last changes nothing, but a stop waits for it.
    EXPECT_FALSE(pool->wait_ended(SteadyPoint::min()));
    go.set_value();
    EXPECT_TRUE(pool->wait_ended(SteadyPoint::max()));
    pool.reset();
    EXPECT_EQ(parts.writes.size(), 0U);
}

TEST_F(DeadLetterPoolTest, AForwarderThatNeverSaysWhetherItAppliesIsWrittenOffToo) {
    std::promise<void> reached;
    std::promise<void> go;
    const std::shared_future<void> gone = go.get_future().share();
    add_forwarder(
        parts.types, "audit",
        [&](const Job&) {
            reached.set_value();
            gone.wait();
            return true;
        },
        [](const Job&, PluginContext&) { return std::nullopt; });
    add_type(parts.types, "a", never_run, {},
             [](const Job&, PluginContext&) { return std::nullopt; });
    start();
    pool->add({forwarder_of(1, "audit")});
    pool->add({handler_of(2)});
    reached.get_future().wait();

    parts.clock.advance(5min);
    watchdog.look_now();
    EXPECT_EQ(parts.writes.size(), 0U) << "not written off yet";
    parts.clock.advance(10s);
    watchdog.look_now();

    answer_start(11);
    const FinishDeadLetter written_off = next_finish();
    EXPECT_EQ(written_off.run, 11);
    EXPECT_EQ(written_off.state, DeadLetterState::kTimedOut);
    EXPECT_EQ(written_off.error,
              "applies_to did not return within dead_letter.timeout and 10 s more");
    answer_start(20);
    EXPECT_EQ(next_finish().run, 20);
    go.set_value();
    EXPECT_TRUE(pool->wait_ended(SteadyPoint::max()));
    pool.reset();
    EXPECT_EQ(parts.writes.size(), 0U);
}

TEST_F(DeadLetterPoolTest, StopAsksRunningHandlersAndLeavesWaitingRunsOwed) {
    std::promise<void> reached;
    std::promise<StopCause> saw;
    add_type(parts.types, "a", never_run, {}, [&](const Job&, PluginContext& context) {
        reached.set_value();
        saw.set_value(context.wait(1h));
        return std::nullopt;
    });
    start();
    pool->add({handler_of(1)});
    pool->add({handler_of(2)});
    answer_start(10);
    reached.get_future().wait();

    pool->close();
    pool->ask_to_stop();

    EXPECT_EQ(saw.get_future().get(), StopCause::kShutdown);
    EXPECT_TRUE(pool->wait_ended(SteadyPoint::max()));
    EXPECT_EQ(next_finish().run, 10);
    EXPECT_EQ(parts.writes.size(), 0U) << "the second was not begun";
}

}  // namespace
}  // namespace jobhost
