// New rules for an engine that works.
#include <atomic>
#include <latch>
#include <thread>

#include <gtest/gtest.h>

#include "tests/unit/engine/engine_fixture.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

class EngineReload : public EngineTest {
protected:
    /// The queues of the settings, with these workers.
    void apply(std::vector<QueueSettings> queues) {
        settings.queues = std::move(queues);
        engine->apply(settings);
    }

    /// Type `hold`: waits until the test says so.
    void add_holding_type() {
        add_type(types, "hold", [this](RunContext&) -> RunResult {
            ++holding;
            let_go.wait();
            --holding;
            return Returned{};
        });
    }

    [[nodiscard]] bool holds(int jobs) {
        return within([&] { return holding.load() == jobs; });
    }

    template <class Condition>
    [[nodiscard]] bool within(Condition condition) {
        const SteadyPoint until = clock.steady_now() + 20s;
        while (clock.steady_now() < until) {
            if (condition()) return true;
            std::this_thread::sleep_for(1ms);
        }
        return false;
    }

    std::atomic<int> holding = 0;
    std::latch let_go{1};
};

TEST_F(EngineReload, MoreWorkersStartWaitingJobsAtOnce) {
    settings.queues = {{"default", 1, {}}};
    add_holding_type();
    for (int i = 0; i < 3; ++i) enqueue({.type = "hold"});
    start();
    ASSERT_TRUE(holds(1));

    apply({{"default", 3, {}}});

    EXPECT_TRUE(holds(3));
    let_go.count_down();
    EXPECT_TRUE(settle());
}

TEST_F(EngineReload, FewerWorkersLetRunningJobsEndAndHoldNoOtherBack) {
    settings.queues = {{"default", 4, {}}};
    add_holding_type();
    std::atomic<int> together = 0;
    std::atomic<int> most = 0;
    add_type(types, "a", [&](RunContext&) -> RunResult {
        most = std::max(most.load(), ++together);
        std::this_thread::sleep_for(1ms);
        --together;
        return Returned{};
    });
    for (int i = 0; i < 4; ++i) enqueue({.type = "hold"});
    start();
    ASSERT_TRUE(holds(4));

    apply({{"default", 1, {}}});
    for (int i = 0; i < 20; ++i) enqueue();
    let_go.count_down();

    EXPECT_TRUE(settle());
    EXPECT_EQ(most.load(), 1);
    EXPECT_EQ(store.session().type_counts().at(0).succeeded, 20);
}

TEST_F(EngineReload, AQueueThatTheFileNamesAnewIsWorkedOn) {
    add_type(types, "a", [](RunContext&) -> RunResult { return Returned{}; });
    const JobId id = enqueue({.type = "a", .queue = "reports"});
    start();
    EXPECT_TRUE(settle());
    EXPECT_EQ(job(id).state, JobState::kEnqueued);

    apply({{"default", 1, {}}, {"reports", 1, {}}});

    EXPECT_TRUE(within([&] { return job(id).state == JobState::kSucceeded; }));
}

TEST_F(EngineReload, AQueueThatIsLeftOutEndsWhatRunsAndTakesNothingNew) {
    settings.queues = {{"default", 1, {}}, {"reports", 1, {}}};
    add_holding_type();
    const JobId running = enqueue({.type = "hold", .queue = "reports"});
    start();
    ASSERT_TRUE(holds(1));

    apply({{"default", 1, {}}});
    const JobId later = enqueue({.type = "hold", .queue = "reports"});
    let_go.count_down();

    EXPECT_TRUE(settle());
    EXPECT_EQ(job(running).state, JobState::kSucceeded);
    EXPECT_EQ(job(later).state, JobState::kEnqueued);

    apply({{"default", 1, {}}, {"reports", 1, {}}});
    EXPECT_TRUE(within([&] { return job(later).state == JobState::kSucceeded; }));
}

TEST_F(EngineReload, ARunKeepsTheRulesThatItWasStartedWith) {
    std::latch fail(1);
    std::atomic<int> runs = 0;
    add_type(types, "a", [&](RunContext&) -> RunResult {
        ++runs;
        fail.wait();
        return Threw{thrown("Oops")};
    });
    settings.jobs = {{"a", retry_at_once(2)}};
    start();
    const JobId first = enqueue();
    ASSERT_TRUE(within([&] { return runs.load() == 1; }));

    settings.jobs = {{"a", retry_at_once(1)}};
    engine->apply(settings);
    const JobId second = enqueue();
    fail.count_down();

    EXPECT_TRUE(settle());
    // Its first run was allowed one more; the next, claimed by the new rules, was the last anyway.
    EXPECT_EQ(job(first).attempts, 2);
    EXPECT_EQ(job(second).attempts, 1);
}

TEST_F(EngineReload, TheNodeTellsItsQueuesToTheStore) {
    start();

    apply({{"fast", 1, {}}, {"slow", 2, {}}});

    const std::vector<std::string> queues = {"fast", "slow"};
    EXPECT_TRUE(
        within([&] { return store.session().nodes().at(0).registration.queues == queues; }));
}

TEST_F(EngineReload, DeadLetterWorkersComeAtOnce) {
    settings.dead_letter_workers = 1;
    std::atomic<int> handling = 0;
    add_type(
        types, "a", [](RunContext&) -> RunResult { return Threw{thrown("Oops")}; },
        retry_at_once(1),
        [&](const Job&, PluginContext&) -> std::optional<ThrownError> {
            ++handling;
            let_go.wait();
            return std::nullopt;
        });
    for (int i = 0; i < 3; ++i) enqueue();
    start();
    ASSERT_TRUE(within([&] { return handling.load() == 1; }));

    settings.dead_letter_workers = 3;
    engine->apply(settings);

    EXPECT_TRUE(within([&] { return handling.load() == 3; }));
    let_go.count_down();
    EXPECT_TRUE(settle());
}

TEST_F(EngineReload, AHundredOfThemUnderLoadLoseNothing) {
    std::atomic<int> runs = 0;
    add_type(types, "a", [&](RunContext&) -> RunResult {
        ++runs;
        return Returned{};
    });
    start();
    constexpr int kJobs = 2000;
    for (int i = 0; i < 100; ++i) {
        std::vector<NewJob> jobs(kJobs / 100, NewJob{.type = "a"});
        store.session().enqueue(jobs);
        apply({{"default", 1 + i % 5, {}}, {"extra", 1, {}}});
        if (i % 3 == 0) apply({{"default", 2, {}}});
    }

    EXPECT_TRUE(settle());
    EXPECT_EQ(runs.load(), kJobs);
    EXPECT_EQ(store.session().type_counts().at(0).succeeded, kJobs);
}

}  // namespace
}  // namespace jobhost
