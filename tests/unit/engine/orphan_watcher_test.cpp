#include "host/engine/orphan_watcher.h"

#include <map>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_clock.h"
#include "tests/support/fake_random.h"
#include "tests/support/forwarding_store.h"
#include "tests/unit/engine/store_fixture.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

/// What the operating system says about lock files, as staged by the test, by incarnation.
class StagedProof final : public NodeProof {
public:
    NodeFileLook look(const NodeRegistration& node) override { return looks[node.incarnation]; }
    std::optional<std::set<std::pair<JobId, std::int64_t>>> start_marks(
        const NodeRegistration& node) override {
        const auto found = marks.find(node.incarnation);
        if (found == marks.end()) return std::nullopt;
        return found->second;
    }
    void remove(const NodeRegistration& node) override { removed.push_back(node.incarnation); }

    std::map<std::string, NodeFileLook> looks;  // nothing staged: there is no file
    std::map<std::string, std::set<std::pair<JobId, std::int64_t>>> marks;
    std::vector<std::string> removed;
};

/// A node that watches, with everything it needs.
struct WatchingNode {
    WatchingNode(StoreHandle& store, const JobTypes& types, const Clock& clock, NodeProof& proof,
                 RecordingEvents& events)
        : membership(store, registration(types), clock, events),
          watcher(plan_of(types), store.open_session(),
                  {types, random, clock, events, membership, proof,
                   [this](std::vector<OwedRun> runs) {
                       for (OwedRun& run : runs) owed.push_back(std::move(run));
                   }}) {}

    static NodeRegistration registration(const JobTypes& types) {
        NodeRegistration node;
        node.name = "watcher";
        node.beat_interval = 5s;
        node.beat_timeout = 30s;
        for (const LoadedType& type : types.types) {
            node.types.push_back({type.name, type.handler != nullptr});
        }
        return node;
    }

    static std::shared_ptr<const Plan> plan_of(const JobTypes& types) {
        EngineSettings settings;
        settings.queues = {{"default", 1, {}}};
        return make_plan(settings, types);
    }

    FakeRandom random{0};
    std::vector<OwedRun> owed;
    Membership membership;
    OrphanWatcher watcher;
};

class OrphanWatcherTest : public testing::Test {
protected:
    OrphanWatcherTest() {
        add_type(types, "mail.send", [](RunContext&) -> RunResult { return Returned{}; });
    }

    WatchingNode& start_watching() {
        watching = std::make_unique<WatchingNode>(store.handle(), types, clock, proof, events);
        return *watching;
    }

    /// Another node, known by its incarnation.
    NodeId register_node(const std::string& incarnation, Duration beat_timeout = 30s,
                         std::vector<NodeType> node_types = {{"mail.send", true}}) {
        NodeRegistration node;
        node.incarnation = incarnation;
        node.name = "node-" + incarnation;
        node.beat_interval = 5s;
        node.beat_timeout = beat_timeout;
        node.lock_file = "/staged/" + incarnation;
        node.lock_inode = 1;
        node.types = std::move(node_types);
        return store.session().register_node(node);
    }

    /// The other node claims all jobs of the type that are due.
    std::vector<ClaimedJob> claim(NodeId node, const std::string& type = "mail.send",
                                  int count = 1) {
        store.session().set_claim_plan({{"default", {{type, 10}}}});
        const std::vector<Demand> demand = {{0, count, 0}};
        return store.session().exchange(node, {}, demand).claimed;
    }

    JobId job_running_on(NodeId node, NewJob job = {.type = "mail.send"}) {
        const std::string type = job.type;
        const JobId id = store.enqueue(std::move(job));
        EXPECT_EQ(claim(node, type).size(), 1U);
        return id;
    }

    /// Time passes in small steps in which the watcher beats and looks.
    void pass(Duration time) {
        for (Duration left = time; left > 0s;) {
            const Duration step = std::min<Duration>(left, 5s);
            clock.advance(step);
            left -= step;
            watching->membership.beat();
            watching->watcher.tick();
        }
    }

    bool is_live(NodeId node) { return store.node(node).state == NodeState::kLive; }

    /// The node's lock is free and its counter stands still: proven dead at the second look.
    void kill(const std::string& incarnation) {
        proof.looks[incarnation] = {.exists = true, .locked = false, .beats = 1};
        watching->watcher.tick();
        clock.advance(500ms);
        watching->watcher.tick();
    }

    FakeClock clock;
    StoreOfTest store{clock};
    JobTypes types;
    RecordingEvents events;
    StagedProof proof;
    std::unique_ptr<WatchingNode> watching;
};

// ---- who is dead

TEST_F(OrphanWatcherTest, ASilentNodeIsDeadOnlyAfterItsOwnTimeout) {
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

TEST_F(OrphanWatcherTest, AStepOfTheWallClockKillsAndSavesNobody) {
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

TEST_F(OrphanWatcherTest, AWatcherWhoseOwnBeatsAreLateJudgesNobody) {
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

TEST_F(OrphanWatcherTest, ACounterThatMovesKeepsANodeAlive) {
    const NodeId node = register_node("beating");
    start_watching().watcher.tick();

    for (int i = 0; i < 20; ++i) {
        pass(29s);
        ASSERT_TRUE(store.session().beat(node));
        watching->watcher.tick();
    }

    EXPECT_TRUE(is_live(node));
}

TEST_F(OrphanWatcherTest, ABeatBetweenTheLookAndTheMarkSavesTheNode) {
    const NodeId node = register_node("waking");
    const Node seen = store.node(node);
    ASSERT_TRUE(store.session().beat(node));

    EXPECT_FALSE(store.session().declare_dead(node, seen.beats, "too late"));
    EXPECT_TRUE(is_live(node));
}

TEST_F(OrphanWatcherTest, AFreeLockAndACounterThatStandsStillForHalfASecondProveTheDeath) {
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

TEST_F(OrphanWatcherTest, TheOperatingSystemsProofNeedsNoBeatsOfTheWatcher) {
    const NodeId node = register_node("killed");
    start_watching();
    clock.advance(1h);

    kill("killed");

    EXPECT_FALSE(is_live(node));
}

TEST_F(OrphanWatcherTest, AFileCounterThatMovesProvesLifeAlthoughTheLockIsFree) {
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

TEST_F(OrphanWatcherTest, AHeldLockOrAMissingFileProveNothing) {
    const NodeId locked = register_node("locked", 24h);
    const NodeId missing = register_node("missing", 24h);
    proof.looks["locked"] = {.exists = true, .locked = true, .beats = 5};
    proof.looks["missing"] = {.exists = false, .locked = false, .beats = 0};
    start_watching().watcher.tick();

    pass(10min);

    EXPECT_TRUE(is_live(locked));
    EXPECT_TRUE(is_live(missing));
}

TEST_F(OrphanWatcherTest, NeverJudgesItself) {
    WatchingNode& node = start_watching();
    node.watcher.tick();

    clock.advance(10h);
    node.watcher.tick();
    node.membership.beat();
    pass(1h);

    EXPECT_TRUE(is_live(node.membership.node()));
}

// ---- what becomes of the jobs

TEST_F(OrphanWatcherTest, AnOrphanIsRequeuedAtOnceWithItsAttemptUsed) {
    const JobId id = job_running_on(register_node("killed"));
    start_watching();

    kill("killed");

    const Job job = store.job(id);
    EXPECT_EQ(job.state, JobState::kEnqueued);
    EXPECT_EQ(job.attempts, 1);
    EXPECT_EQ(job.orphanings, 1);
    ASSERT_TRUE(job.last_error.has_value());
    EXPECT_EQ(job.last_error->type, "jobhost::OrphanedJobError");
    EXPECT_EQ(events.last("orphan_requeued").text, "used");
}

TEST_F(OrphanWatcherTest, AJobOfALiveNodeStaysHoweverOldItIs) {
    const NodeId node = register_node("beating");
    const JobId id = job_running_on(node);
    start_watching().watcher.tick();

    for (int i = 0; i < 50; ++i) {
        pass(25s);
        ASSERT_TRUE(store.session().beat(node));
    }

    EXPECT_EQ(store.job(id).state, JobState::kProcessing);
}

TEST_F(OrphanWatcherTest, WhatNeverStartedIsGivenBackWithoutUsingTheAttempt) {
    const NodeId node = register_node("killed");
    const JobId begun = store.enqueue({.type = "mail.send"});
    const JobId waiting = store.enqueue({.type = "mail.send", .max_attempts = 1});
    const auto claimed = claim(node, "mail.send", 2);
    ASSERT_EQ(claimed.size(), 2U);
    proof.marks["killed"] = {{begun, claimed[0].lease.fence}};
    start_watching();

    kill("killed");

    EXPECT_EQ(store.job(begun).attempts, 1);
    EXPECT_EQ(store.job(waiting).state, JobState::kEnqueued);
    EXPECT_EQ(store.job(waiting).attempts, 0);
    EXPECT_FALSE(store.job(waiting).last_error.has_value());
}

TEST_F(OrphanWatcherTest, AnOldStartMarkOfTheSameJobProvesNothingAboutThisRun) {
    const NodeId node = register_node("killed");
    const JobId id = store.enqueue({.type = "mail.send"});
    const auto claimed = claim(node);
    ASSERT_EQ(claimed.size(), 1U);
    proof.marks["killed"] = {{id, claimed[0].lease.fence - 1}};
    start_watching();

    kill("killed");

    EXPECT_EQ(store.job(id).attempts, 0);
}

TEST_F(OrphanWatcherTest, AnExhaustedOrphanFailsAndItsRunsAreOwedByTheWatcher) {
    types.types.clear();
    add_type(
        types, "mail.send", [](RunContext&) -> RunResult { return Returned{}; }, {},
        [](const Job&, PluginContext&) { return std::nullopt; });
    add_forwarder(
        types, "audit", [](const Job&) { return true; },
        [](const Job&, PluginContext&) { return std::nullopt; });
    const JobId id =
        job_running_on(register_node("killed"), {.type = "mail.send", .max_attempts = 1});
    start_watching();

    kill("killed");

    const Job job = store.job(id);
    EXPECT_EQ(job.state, JobState::kFailed);
    EXPECT_EQ(job.reason, "orphaned");
    EXPECT_THAT(store.dead_letters(id), ElementsAre("mail.send owed", "audit owed"));
    ASSERT_EQ(watching->owed.size(), 2U);
    EXPECT_EQ(watching->owed[0].kind, DeadLetterKind::kHandler);
    EXPECT_EQ(events.last("orphan_failed").text, "orphaned");
}

TEST_F(OrphanWatcherTest, ListedAsNotToBeRetriedFailsAlthoughAttemptsAreLeft) {
    types.types.clear();
    PolicyLevel policy;
    policy.do_not_retry = {"jobhost::OrphanedJobError"};
    add_type(types, "mail.send", [](RunContext&) -> RunResult { return Returned{}; }, policy);
    const JobId id = job_running_on(register_node("killed"));
    start_watching();

    kill("killed");

    EXPECT_EQ(store.job(id).state, JobState::kFailed);
    EXPECT_EQ(store.job(id).reason, "must_not_retry");
}

TEST_F(OrphanWatcherTest, ForeignTypesAreLeftToTheirOwnServiceAndHideNothing) {
    const NodeId node = register_node("killed", 30s, {{"other.type", true}, {"mail.send", true}});
    std::vector<NewJob> foreign(250, NewJob{.type = "other.type"});
    store.session().enqueue(foreign);
    ASSERT_EQ(claim(node, "other.type", 250).size(), 250U);
    const JobId own = job_running_on(node);
    start_watching();

    kill("killed");

    EXPECT_EQ(store.job(own).state, JobState::kEnqueued);
    EXPECT_EQ(store.node(node).processing, 250);
}

TEST_F(OrphanWatcherTest, WithoutTheHandlerAnExhaustedOrphanIsLeftToALiveOwnerThatHasIt) {
    const NodeId dead = register_node("killed");
    const JobId exhausted = job_running_on(dead, {.type = "mail.send", .max_attempts = 1});
    const JobId retried = job_running_on(dead);
    register_node("owner", 24h, {{"mail.send", true}});
    start_watching();

    kill("killed");

    EXPECT_EQ(store.job(exhausted).state, JobState::kProcessing);
    EXPECT_EQ(store.job(retried).state, JobState::kEnqueued);
}

TEST_F(OrphanWatcherTest, WithoutTheHandlerItFailsAnExhaustedOrphanWhenNobodyElseHasIt) {
    const NodeId dead = register_node("killed");
    const JobId id = job_running_on(dead, {.type = "mail.send", .max_attempts = 1});
    register_node("peer", 24h, {{"mail.send", false}});
    start_watching();

    kill("killed");

    EXPECT_EQ(store.job(id).state, JobState::kFailed);
    EXPECT_THAT(store.dead_letters(id), IsEmpty());
}

TEST_F(OrphanWatcherTest, OrphansLeftToAnotherOwnerDoNotHideTheRest) {
    const NodeId dead = register_node("killed");
    std::vector<NewJob> left(450, NewJob{.type = "mail.send", .max_attempts = 1});
    store.session().enqueue(left);
    ASSERT_EQ(claim(dead, "mail.send", 450).size(), 450U);
    const JobId own = job_running_on(dead);
    register_node("owner", 24h, {{"mail.send", true}});
    start_watching();

    kill("killed");
    for (int i = 0; i < 3; ++i) watching->watcher.tick();

    EXPECT_EQ(store.job(own).state, JobState::kEnqueued);
    EXPECT_EQ(store.node(dead).processing, 450);
}

TEST_F(OrphanWatcherTest, MoreOrphansThanOneBatchAreAllTakenInOneRound) {
    const NodeId dead = register_node("killed");
    std::vector<NewJob> many(450, NewJob{.type = "mail.send"});
    store.session().enqueue(many);
    ASSERT_EQ(claim(dead, "mail.send", 450).size(), 450U);
    start_watching();

    kill("killed");

    EXPECT_EQ(events.count("orphan_requeued"), 450U);
}

TEST_F(OrphanWatcherTest, OfTwoWatchersExactlyOneTakesEachOrphan) {
    const NodeId dead = register_node("killed");
    std::vector<NewJob> many(300, NewJob{.type = "mail.send"});
    store.session().enqueue(many);
    ASSERT_EQ(claim(dead, "mail.send", 300).size(), 300U);
    start_watching();
    WatchingNode second(store.handle(), types, clock, proof, events);
    ASSERT_TRUE(store.session().declare_dead(dead, store.node(dead).beats, "staged"));

    std::thread other([&] { second.watcher.tick(); });
    watching->watcher.tick();
    other.join();

    EXPECT_EQ(events.count("orphan_requeued"), 300U);
    EXPECT_EQ(store.node(dead).processing, 0);
}

TEST_F(OrphanWatcherTest, LockFilesOfTheDeadGoOnceNobodyIsJudgedByThem) {
    const NodeId dead = register_node("killed");
    job_running_on(dead);
    start_watching();

    kill("killed");
    watching->watcher.tick();

    EXPECT_THAT(proof.removed, testing::Contains("killed"));
}

TEST_F(OrphanWatcherTest, AnOperatorsCancelOfAnOrphanCancelsIt) {
    const NodeId node = register_node("killed");
    const JobId id = job_running_on(node);
    ASSERT_EQ(store.session().cancel_job(id, "ana").outcome, ControlAnswer::Outcome::kRequested);
    start_watching();

    kill("killed");

    EXPECT_EQ(store.job(id).state, JobState::kCancelled);
    EXPECT_EQ(store.job(id).reason, "cancelled by ana");
}

// ---- dead-letter runs of the dead

TEST_F(OrphanWatcherTest, ADeadNodesStartedRunIsInterruptedAndNotCalledAgain) {
    const NodeId dead = register_node("killed");
    const JobId id = store.enqueue({.type = "mail.send", .max_attempts = 1});
    const auto claimed = claim(dead);
    ASSERT_EQ(claimed.size(), 1U);
    RunReport report{.lease = claimed[0].lease};
    report.next = Fail{{}, "exhausted", {{DeadLetterKind::kHandler, "mail.send"}}};
    const std::vector<Write> writes = {report};
    const auto failed = store.session().exchange(dead, writes, {});
    ASSERT_EQ(failed.answers[0].owed.size(), 1U);
    start_watching();

    kill("killed");

    EXPECT_THAT(store.dead_letters(id), ElementsAre("mail.send interrupted"));
    EXPECT_THAT(watching->owed, IsEmpty());
}

TEST_F(OrphanWatcherTest, AtLeastOnceItRunsAgainHereAfterABackOff) {
    types.types.clear();
    PolicyLevel policy;
    policy.at_least_once = true;
    add_type(
        types, "mail.send", [](RunContext&) -> RunResult { return Returned{}; }, policy,
        [](const Job&, PluginContext&) { return std::nullopt; });
    const NodeId dead = register_node("killed");
    const JobId id = store.enqueue({.type = "mail.send", .max_attempts = 1});
    const auto claimed = claim(dead);
    ASSERT_EQ(claimed.size(), 1U);
    RunReport report{.lease = claimed[0].lease};
    report.next = Fail{{}, "exhausted", {{DeadLetterKind::kHandler, "mail.send"}}};
    const std::vector<Write> writes = {report};
    store.session().exchange(dead, writes, {});
    start_watching();

    kill("killed");
    EXPECT_THAT(store.dead_letters(id), ElementsAre("mail.send owed"));
    pass(1min);

    ASSERT_EQ(watching->owed.size(), 1U);
    EXPECT_EQ(watching->owed[0].job, id);
}

// ---- an engine that cannot tell whose jobs were orphaned

TEST_F(OrphanWatcherTest, WithoutAReporterExhaustedOrphansStillFailAndNobodyIsCalled) {
    types.types.clear();
    add_type(
        types, "mail.send", [](RunContext&) -> RunResult { return Returned{}; }, {},
        [](const Job&, PluginContext&) { return std::nullopt; });
    HandleWithoutReporter plain(store.handle());
    const NodeId dead = register_node("killed");
    const JobId exhausted = job_running_on(dead, {.type = "mail.send", .max_attempts = 1});
    const JobId retried = job_running_on(dead);
    watching = std::make_unique<WatchingNode>(plain, types, clock, proof, events);

    kill("killed");

    const Job failed = store.job(exhausted);
    EXPECT_EQ(failed.state, JobState::kFailed);
    ASSERT_TRUE(failed.last_error.has_value());
    EXPECT_EQ(failed.last_error->type, "jobhost::OrphanedJobError");
    EXPECT_EQ(store.job(retried).state, JobState::kEnqueued);
    EXPECT_THAT(store.dead_letters(exhausted), IsEmpty());
    EXPECT_THAT(watching->owed, IsEmpty());
}

}  // namespace
}  // namespace jobhost
