#include "tests/conformance/storage_fixture.h"

namespace jobhost::testing_support {
namespace {

using namespace std::chrono_literals;

const Node* node_of(const std::vector<Node>& nodes, NodeId id) {
    for (const Node& node : nodes) {
        if (node.id == id) return &node;
    }
    return nullptr;
}

TEST_P(StorageTest, ANodeIsShownAsItIntroducedItself) {
    const NodeRegistration registration{.incarnation = std::string(32, 'f'),
                                        .name = "n1",
                                        .service = "mail",
                                        .host = "box",
                                        .version = "2",
                                        .pid = 77,
                                        .beat_interval = 5s,
                                        .beat_timeout = 30s,
                                        .lock_file = "/run/lock",
                                        .lock_inode = 12,
                                        .types = {{.name = "a", .has_handler = true}},
                                        .queues = {"q1", "q2"},
                                        .plugins = {"mail 1.0"}};

    const NodeId id = store_->register_node(registration);

    const std::vector<Node> nodes = store_->nodes();
    const Node* node = node_of(nodes, id);
    ASSERT_NE(node, nullptr);
    EXPECT_EQ(node->state, NodeState::kLive);
    EXPECT_EQ(node->registration.incarnation, registration.incarnation);
    EXPECT_EQ(node->registration.service, "mail");
    EXPECT_EQ(node->registration.beat_timeout, Duration(30s));
    EXPECT_EQ(node->registration.lock_inode, 12);
    EXPECT_EQ(node->registration.queues, registration.queues);
    EXPECT_EQ(node->registration.plugins, registration.plugins);
    ASSERT_EQ(node->registration.types.size(), 1U);
    EXPECT_TRUE(node->registration.types[0].has_handler);
    EXPECT_EQ(node->started_at, clock_.now());
}

TEST_P(StorageTest, NodeIdsAreNeverReusedWhateverTheName) {
    const NodeId one = store_->register_node({.name = "same"});
    const NodeId two = store_->register_node({.name = "same"});
    EXPECT_GT(two, one);
}

TEST_P(StorageTest, EachBeatMovesTheCounter) {
    const NodeId id = store_->register_node({.name = "n"});
    clock_.advance(5s);

    EXPECT_TRUE(store_->beat(id));
    EXPECT_TRUE(store_->beat(id));

    const std::vector<Node> nodes = store_->nodes();
    EXPECT_EQ(node_of(nodes, id)->beats, 2);
    EXPECT_EQ(node_of(nodes, id)->beat_at, clock_.now());
}

TEST_P(StorageTest, ADeathMarkIsGuardedByTheCounterSeen) {
    const NodeId id = store_->register_node({.name = "n"});
    store_->beat(id);

    EXPECT_FALSE(store_->declare_dead(id, 0, "silent"));
    EXPECT_TRUE(store_->beat(id));
    EXPECT_TRUE(store_->declare_dead(id, 2, "silent for 30 s"));
    EXPECT_FALSE(store_->declare_dead(id, 2, "silent"));
    EXPECT_FALSE(store_->beat(id));
    const std::vector<Node> nodes = store_->nodes();
    EXPECT_EQ(node_of(nodes, id)->state, NodeState::kDead);
    EXPECT_EQ(node_of(nodes, id)->death, "silent for 30 s");
}

TEST_P(StorageTest, ANodeThatIsGoneCannotBeat) {
    EXPECT_FALSE(store_->beat(4711));
}

TEST_P(StorageTest, ANodeThatLeavesGivesItsJobsBackInFront) {
    StoreWorker worker(*store_, "w", {"a"});
    const JobId first = enqueue({.type = "a"});
    const JobId flagged = enqueue({.type = "a"});
    clock_.advance(1s);
    enqueue({.type = "a"});
    worker.claim(2);
    store_->cancel_job(flagged, "ann");

    store_->leave(worker.node());

    EXPECT_EQ(find(first).state, JobState::kEnqueued);
    EXPECT_EQ(find(first).attempts, 0);
    EXPECT_EQ(find(flagged).state, JobState::kCancelled);
    EXPECT_FALSE(store_->beat(worker.node()));
    StoreWorker next(*store_, "x", {"a"});
    EXPECT_EQ(next.claim_one().lease.job, first);
}

TEST_P(StorageTest, ANodeThatLeavesHandsItsOwedRunsOnAndEndsItsStartedOnes) {
    StoreWorker worker(*store_, "w", {"a"});
    enqueue({.type = "a"});
    const WriteAnswer failed =
        worker.fail(worker.claim_one(), {{.kind = DeadLetterKind::kHandler, .name = "a"},
                                         {.kind = DeadLetterKind::kForwarder, .name = "f"}});
    worker.write(StartDeadLetter{failed.owed[0].run});

    store_->leave(worker.node());

    StoreWorker next(*store_, "x", {"a"});
    const std::vector<std::string> own{"a"};
    const std::vector<OwedRun> adopted = store_->adopt_dead_letters(next.node(), own, 10);
    ASSERT_EQ(adopted.size(), 1U);
    EXPECT_EQ(adopted[0].run, failed.owed[1].run);
    EXPECT_EQ(adopted[0].kind, DeadLetterKind::kForwarder);
    EXPECT_EQ(adopted[0].type, "a");
    const auto interrupted = store_->dead_letters(0, DeadLetterState::kInterrupted, 10, 0);
    ASSERT_EQ(interrupted.size(), 1U);
    EXPECT_EQ(interrupted[0].run, failed.owed[0].run);
}

TEST_P(StorageTest, ADeadNodeCannotLeaveAnyMore) {
    StoreWorker worker(*store_, "w", {"a"});
    const JobId id = enqueue({.type = "a"});
    worker.claim_one();
    worker.die();

    store_->leave(worker.node());

    EXPECT_EQ(find(id).state, JobState::kProcessing);
    const std::vector<Node> nodes = store_->nodes();
    EXPECT_EQ(node_of(nodes, worker.node())->state, NodeState::kDead);
    EXPECT_EQ(node_of(nodes, worker.node())->processing, 1);
}

}  // namespace
}  // namespace jobhost::testing_support
