#include <gtest/gtest.h>

#include "host/engine/orphan_watcher.h"
#include "tests/unit/engine/orphan_fixture.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

class NodeDeath : public OrphanWatcherTest {};

TEST_F(NodeDeath, ASilentNodeIsDeadOnlyAfterItsOwnTimeout) {
    const NodeId quick = register_node("quick", 30s);
    const NodeId patient = register_node("patient", 60s);
    start_watching().watcher.tick();

    pass(29'999ms);
    EXPECT_TRUE(is_live(quick));
    pass(1ms);
    EXPECT_FALSE(is_live(quick));
    EXPECT_TRUE(is_live(patient));
    EXPECT_EQ(events.last("node_declared_dead").text, "no heartbeat for 30 s");

    pass(29'999ms);
    EXPECT_TRUE(is_live(patient));
    pass(1ms);
    EXPECT_FALSE(is_live(patient));
    EXPECT_EQ(events.count("node_declared_dead"), 2U);
}

TEST_F(NodeDeath, WhileAllIsWellTheStoreIsAskedOnceASecondOnly) {
    const NodeId node = register_node("elsewhere");
    proof.looks["elsewhere"] = {.exists = true, .locked = true, .beats = 1};
    const JobId id = job_running_on(node);
    start_watching().watcher.look();
    ASSERT_TRUE(store.session().declare_dead(node, 0, "another watcher saw it"));

    clock.advance(999ms);
    watching->watcher.look();
    EXPECT_EQ(store.job(id).state, JobState::kProcessing);
    clock.advance(1ms);
    watching->watcher.look();
    EXPECT_EQ(store.job(id).state, JobState::kEnqueued);
}

TEST_F(NodeDeath, AFreeLockIsSeenBetweenTwoQuestionsToTheStore) {
    const NodeId node = register_node("killed");
    proof.looks["killed"] = {.exists = true, .locked = true, .beats = 1};
    start_watching().watcher.look();
    clock.advance(200ms);
    watching->watcher.look();

    proof.looks["killed"].locked = false;  // after that look, so it may have beaten until now
    clock.advance(200ms);
    watching->watcher.look();
    EXPECT_TRUE(is_live(node));
    clock.advance(299ms);
    watching->watcher.look();
    EXPECT_TRUE(is_live(node));
    clock.advance(1ms);
    watching->watcher.look();
    EXPECT_FALSE(is_live(node));
}

TEST_F(NodeDeath, AStepOfTheWallClockKillsAndSavesNobody) {
    const NodeId node = register_node("silent");
    start_watching().watcher.tick();

    clock.step_wall(10h);
    pass(15s);
    clock.step_wall(-100h);
    pass(14'999ms);
    EXPECT_TRUE(is_live(node));

    pass(1ms);
    EXPECT_FALSE(is_live(node));
}

TEST_F(NodeDeath, AWatcherWhoseOwnBeatsAreLateJudgesNobody) {
    const NodeId node = register_node("silent");
    start_watching().watcher.tick();

    for (int i = 0; i < 100; ++i) {
        clock.advance(10s);
        watching->watcher.tick();
    }
    EXPECT_TRUE(is_live(node));

    // Once its beats are stored again the others get their whole time once more.
    watching->membership.beat();
    pass(29'999ms);
    EXPECT_TRUE(is_live(node));
    pass(1ms);
    EXPECT_FALSE(is_live(node));
}

TEST_F(NodeDeath, ACounterThatMovesKeepsANodeAlive) {
    const NodeId node = register_node("beating");
    start_watching().watcher.tick();

    for (int i = 0; i < 20; ++i) {
        pass(29s);
        ASSERT_TRUE(store.session().beat(node));
        watching->watcher.tick();
    }

    EXPECT_TRUE(is_live(node));
}

TEST_F(NodeDeath, ABeatBetweenTheLookAndTheMarkSavesTheNode) {
    const NodeId node = register_node("waking");
    const Node seen = store.node(node);
    ASSERT_TRUE(store.session().beat(node));

    EXPECT_FALSE(store.session().declare_dead(node, seen.beats, "too late"));
    EXPECT_TRUE(is_live(node));
}

TEST_F(NodeDeath, AFreeLockAndACounterThatStandsStillForHalfASecondProveTheDeath) {
    const NodeId node = register_node("killed");
    proof.looks["killed"] = {.exists = true, .locked = false, .beats = 5};
    start_watching().watcher.tick();

    clock.advance(499'999us);
    watching->watcher.tick();
    EXPECT_TRUE(is_live(node));
    clock.advance(1us);
    watching->watcher.tick();

    EXPECT_FALSE(is_live(node));
    EXPECT_EQ(events.last("node_declared_dead").text, "its process ended without a goodbye");
}

TEST_F(NodeDeath, TheOperatingSystemsProofNeedsNoBeatsOfTheWatcher) {
    const NodeId node = register_node("killed");
    start_watching();
    clock.advance(1h);

    kill("killed");

    EXPECT_FALSE(is_live(node));
}

TEST_F(NodeDeath, AFileCounterThatMovesProvesLifeAlthoughTheLockIsFree) {
    const NodeId node = register_node("robbed", 24h);
    auto& look = proof.looks["robbed"];
    look = {.exists = true, .locked = false, .beats = 5};
    start_watching().watcher.tick();

    for (int i = 0; i < 50; ++i) {
        clock.advance(499ms);
        ++look.beats;
        watching->watcher.tick();
    }

    EXPECT_TRUE(is_live(node));
}

TEST_F(NodeDeath, AHeldLockOrAMissingFileProveNothing) {
    const NodeId locked = register_node("locked", 24h);
    const NodeId missing = register_node("missing", 24h);
    proof.looks["locked"] = {.exists = true, .locked = true, .beats = 5};
    proof.looks["missing"] = {.exists = false, .locked = false, .beats = 0};
    start_watching().watcher.tick();

    pass(10min);

    EXPECT_TRUE(is_live(locked));
    EXPECT_TRUE(is_live(missing));
}

TEST_F(NodeDeath, NeverJudgesItself) {
    WatchingNode& node = start_watching();
    node.watcher.tick();

    clock.advance(10h);
    node.watcher.tick();
    node.membership.beat();
    pass(1h);

    EXPECT_TRUE(is_live(node.membership.node()));
}

}  // namespace
}  // namespace jobhost
