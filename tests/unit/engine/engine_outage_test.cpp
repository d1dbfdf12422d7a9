#include <algorithm>
#include <future>
#include <latch>

#include <gtest/gtest.h>

#include "tests/support/outside_lock.h"
#include "tests/unit/engine/engine_fixture.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

// ---- others declared the node dead

class EngineLost : public EngineTest {
protected:
    /// Marks the node dead as a watcher would that saw it silent.
    void declare_dead(NodeId node) {
        while (!store.session().declare_dead(node, store.node(node).beats, "by hand")) {
        }
    }
};

TEST_F(EngineLost, ItsRunsAreCancelledTheirResultsDroppedAndItRegistersAnew) {
    std::promise<StopCause> saw;
    add_type(types, "a", [&](RunContext& context) -> RunResult {
        if (context.job().attempt == 2) return Returned{};
        context.enqueue_on_success({.type = "b"});
        context.complete();
        saw.set_value(context.wait(20s));
        return Returned{};
    });
    const JobId id = enqueue();
    start();
    ASSERT_TRUE(events.wait_for_job("job_started", id));
    const NodeId before = engine->node();

    declare_dead(before);
    EXPECT_EQ(saw.get_future().get(), StopCause::kLeaseLost);
    ASSERT_TRUE(events.wait_for_job("job_succeeded", id));
    ASSERT_TRUE(settle());

    EXPECT_NE(engine->node(), before);
    EXPECT_EQ(events.count("node_lost"), 1U);
    EXPECT_EQ(events.count("node_registered"), 2U);
    EXPECT_EQ(events.count("lease_lost"), 1U) << "logged once";
    EXPECT_EQ(events.count("job_succeeded"), 1U);
    const Job done = job(id);
    EXPECT_EQ(done.state, JobState::kSucceeded);
    EXPECT_EQ(done.attempts, 2);
    EXPECT_EQ(done.fence, 2);
    EXPECT_EQ(store.session().count_jobs({.type = "b"}, 10), 0) << "dropped with the lease";
}

TEST_F(EngineLost, ItGoesOnWorkingUnderItsNewIdentity) {
    add_type(types, "a", [](RunContext&) -> RunResult { return Returned{}; });
    start();
    ASSERT_TRUE(settle());
    declare_dead(engine->node());
    ASSERT_TRUE(events.wait("node_lost"));

    const JobId id = enqueue();

    ASSERT_TRUE(events.wait_for_job("job_succeeded", id));
    EXPECT_EQ(job(id).node, engine->node());
}

// ---- the store is away

class EngineOutage : public testing::Test {
protected:
    EngineOutage() {
        settings.queues = {{"default", 4, {}}};
        settings.beat_interval = 100ms;
    }
    void start() {
        engine = std::make_unique<Engine>(settings, store.handle(), types, clock, events);
    }

    const SystemClock clock = {};
    StoreOfTest store{clock, 100ms};
    RecordingEvents events;
    JobTypes types;
    EngineSettings settings;
    std::unique_ptr<Engine> engine;
};

TEST_F(EngineOutage, OutcomesAreKeptAndStoredOnceTheStoreIsBackAndEachChangeIsSaidOnce) {
    std::latch go(1);
    add_type(
        types, "a",
        [&](RunContext& context) -> RunResult {
            go.wait();
            if (context.job().input == R"("fails")") return Threw{thrown("Down")};
            return Returned{};
        },
        retry_at_once(1));
    std::vector<JobId> good;
    for (int i = 0; i < 3; ++i) good.push_back(store.enqueue({.type = "a"}));
    const JobId bad = store.enqueue({.type = "a", .input = R"("fails")"});
    start();
    ASSERT_TRUE(events.wait("job_started", 4));

    {
        const OutsideLock lock(store.path());
        go.count_down();
        ASSERT_TRUE(events.wait("storage_down"));
        EXPECT_EQ(events.count("job_succeeded"), 0U);
    }
    ASSERT_TRUE(events.wait("storage_up"));
    ASSERT_TRUE(events.wait("job_succeeded", 3));
    ASSERT_TRUE(events.wait("job_failed", 1));

    EXPECT_EQ(events.count("storage_down"), 1U);
    EXPECT_EQ(events.count("storage_up"), 1U);
    EXPECT_EQ(events.count("lease_lost"), 0U);
    for (const JobId id : good) {
        EXPECT_EQ(store.job(id).state, JobState::kSucceeded);
        EXPECT_EQ(store.job(id).attempts, 1);
    }
    EXPECT_EQ(store.job(bad).state, JobState::kFailed);
}

TEST_F(EngineOutage, AStopWhileTheStoreIsAwayEndsAndLeavesTheJobToBeRecovered) {
    std::latch go(1);
    add_type(types, "a", [&](RunContext&) -> RunResult {
        go.wait();
        return Returned{};
    });
    const JobId id = store.enqueue({.type = "a"});
    settings.shutdown_grace = 100ms;
    settings.shutdown_cancel = 100ms;
    start();
    ASSERT_TRUE(events.wait("job_started"));
    const NodeId node = engine->node();

    {
        const OutsideLock lock(store.path());
        go.count_down();
        ASSERT_TRUE(events.wait("storage_down"));
        EXPECT_EQ(engine->stop(), StopResult::kNotStored);
    }

    EXPECT_EQ(store.job(id).state, JobState::kProcessing);
    EXPECT_EQ(store.node(node).state, NodeState::kLive)
        << "leaving would give back a job that is done: its lock file proves the end";
}

// ---- a claim whose answer was lost

TEST_F(EngineOutage, LeasesThatTheNodeDoesNotKnowAreGivenBackAfterAReconnect) {
    std::latch go(1);
    add_type(types, "a", [&](RunContext&) -> RunResult {
        go.wait();
        return Returned{};
    });
    store.enqueue({.type = "a"});
    settings.queues[0].workers = 1;
    start();
    ASSERT_TRUE(events.wait("job_started"));
    // Claimed in the node's name, but the node never heard of it.
    const JobId lost = store.enqueue({.type = "a"});
    store.session().set_claim_plan({{"default", {{"a", 10}}}});
    const std::vector<Demand> demand = {{0, 1, 0}};
    ASSERT_EQ(store.session().exchange(engine->node(), {}, demand).claimed.size(), 1U);
    ASSERT_EQ(store.job(lost).attempts, 1);

    {
        const OutsideLock lock(store.path());
        go.count_down();
        // The store thread's own outage: the heartbeat's alone is no reason to compare.
        ASSERT_TRUE(events.wait_until([](const std::vector<Said>& all) {
            return std::ranges::any_of(all, [](const Said& said) {
                return said.what == "storage_down" && said.text == "store";
            });
        }));
    }

    ASSERT_TRUE(events.wait("leases_given_back"));
    ASSERT_TRUE(events.wait_for_job("job_succeeded", lost));
    EXPECT_EQ(store.job(lost).attempts, 1);
}

}  // namespace
}  // namespace jobhost
