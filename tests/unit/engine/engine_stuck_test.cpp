#include <future>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/engine/engine_fixture.h"

/// The threads of a node whose job never returns are left behind on purpose, here as in the host.
extern "C" const char* __tsan_default_options() {
    return "report_thread_leaks=0";
}

namespace jobhost {
namespace {

using namespace std::chrono_literals;

/// A node whose job never returns can only end with its process: it is kept, with all it uses, for
/// as long as the test program runs.
struct StuckNode {
    explicit StuckNode(Duration timeout) {
        PolicyLevel policy = retry_at_once(3);
        policy.timeout = timeout;
        add_type(
            types, "a",
            [this](RunContext&) -> RunResult {
                never.get_future().wait();
                return Returned{};
            },
            policy);
        settings.queues = {{"default", 1, {}}};
        settings.beat_interval = 100ms;
        settings.shutdown_grace = 0s;
        settings.shutdown_cancel = 50ms;
        id = store.enqueue({.type = "a"});
        engine = std::make_unique<Engine>(settings, store.handle(), types, clock, events);
    }

    static StuckNode& make(Duration timeout) {
        static std::vector<StuckNode*> kept;
        kept.push_back(new StuckNode(timeout));
        return *kept.back();
    }

    const SystemClock clock = {};
    StoreOfTest store{clock};
    RecordingEvents events;
    JobTypes types;
    EngineSettings settings;
    std::promise<void> never;
    JobId id = 0;
    std::unique_ptr<Engine> engine;
};

TEST(EngineStopStuck, AJobThatNeverReturnsIsGivenBackAndTheProcessToldToEnd) {
    StuckNode& node = StuckNode::make(0s);
    ASSERT_TRUE(node.events.wait("job_started"));

    EXPECT_FALSE(node.engine->stop());

    const Job job = node.store.job(node.id);
    EXPECT_EQ(job.state, JobState::kEnqueued);
    EXPECT_EQ(job.attempts, 0);
    EXPECT_EQ(node.events.count("stop_phase"), 2U);
    EXPECT_EQ(node.store.node(node.engine->node()).state, NodeState::kStopped);
}

TEST(EngineStopStuck, PastItsTimeLimitItIsCommittedAsTimeoutError) {
    StuckNode& node = StuckNode::make(20ms);
    ASSERT_TRUE(node.events.wait("timeout_reached"));

    EXPECT_FALSE(node.engine->stop());

    const Job job = node.store.job(node.id);
    EXPECT_EQ(job.attempts, 1);
    ASSERT_TRUE(job.last_error.has_value());
    EXPECT_EQ(job.last_error->type, "jobhost::TimeoutError");
}

TEST(EngineStopStuck, ARunThatLostItsLeaseAndNeverReturnsHoldsItsThreadAsWell) {
    StuckNode& node = StuckNode::make(0s);
    ASSERT_TRUE(node.events.wait("job_started"));
    const NodeId lost = node.engine->node();
    while (!node.store.session().declare_dead(lost, node.store.node(lost).beats, "by hand")) {
    }
    ASSERT_TRUE(node.events.wait("node_lost"));

    EXPECT_FALSE(node.engine->stop());
}

}  // namespace
}  // namespace jobhost
