#include "host/engine/orphan_watcher.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/forwarding_store.h"
#include "tests/unit/engine/orphan_fixture.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

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
    add_type(
        types, "mail.send", [](RunContext&) -> RunResult { return Returned{}; }, policy);
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
    EXPECT_EQ(events.last("dead_letter_left").more, "interrupted");
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
    EXPECT_EQ(events.last("dead_letter_left").more, "again");
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
