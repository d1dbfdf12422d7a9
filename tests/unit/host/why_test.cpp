#include "host/api/why.h"

#include <gtest/gtest.h>

namespace jobhost::api {
namespace {

using namespace std::chrono_literals;

const TimePoint kNow = std::chrono::sys_days(std::chrono::year(2026) / 3 / 1) + 12h;

Node node(NodeId id, const std::string& service, NodeState state = NodeState::kLive) {
    Node made{.id = id, .state = state};
    made.registration.name = "host-" + std::to_string(id);
    made.registration.service = service;
    made.registration.types = {{.name = "mail.send"}};
    made.registration.queues = {"default"};
    return made;
}

Job job(JobState state) {
    return {.id = 7,
            .type = "mail.send",
            .queue = "default",
            .state = state,
            .created_at = kNow - 1h,
            .run_at = kNow - 1min};
}

WhyFacts facts(Job about, std::vector<Node> nodes) {
    return {.job = std::move(about), .now = kNow, .nodes = std::move(nodes)};
}

JobError error(int attempt) {
    return {.type = "std::runtime_error", .message = "no route", .attempt = attempt};
}

bool says(const Why& why, const std::string& part) {
    return why.sentence.find(part) != std::string::npos;
}

TEST(Why, AJobWithALaterTimeIsScheduled) {
    Job about = job(JobState::kScheduled);
    about.run_at = kNow + 5min;

    const Why why = explain_why(facts(about, {node(1, "mail")}));

    EXPECT_EQ(why.code, "scheduled");
    EXPECT_TRUE(says(why, "2026-03-01T12:05:00.000000Z (in 5m)")) << why.sentence;
}

TEST(Why, ARetryThatWaitsNamesTheAttemptAndItsError) {
    Job about = job(JobState::kScheduled);
    about.run_at = kNow + 30s;
    about.attempts = 2;
    about.max_attempts = 5;
    about.last_error = error(2);

    const Why why = explain_why(facts(about, {node(1, "mail")}));

    EXPECT_EQ(why.code, "retry_waits");
    EXPECT_TRUE(says(why, "attempt 2 of 5 failed: std::runtime_error: no route"));
}

TEST(Why, ASnoozedJobIsNoRetry) {
    Job about = job(JobState::kScheduled);
    about.run_at = kNow + 30s;
    about.attempts = 1;
    about.snoozes = 3;
    about.last_error = error(2);

    EXPECT_EQ(explain_why(facts(about, {})).code, "snoozed");
}

TEST(Why, WithoutANodeThatHasTheTypeItSaysSo) {
    Node other = node(1, "billing");
    other.registration.types = {{.name = "billing.invoice"}};

    const Why why =
        explain_why(facts(job(JobState::kEnqueued), {other, node(2, "mail", NodeState::kDead)}));

    EXPECT_EQ(why.code, "no_live_node_for_type");
    EXPECT_TRUE(says(why, "no live node runs the type mail.send"));
}

TEST(Why, ANodeWithTheTypeButNotTheQueueIsNotEnough) {
    Node other = node(1, "mail");
    other.registration.queues = {"reports"};

    EXPECT_EQ(explain_why(facts(job(JobState::kEnqueued), {other})).code, "no_live_node_for_queue");
}

TEST(Why, APausedQueueNamesTheCommandThatResumesIt) {
    WhyFacts about = facts(job(JobState::kEnqueued), {node(1, "mail")});
    about.pauses = {{.kind = Pause::Kind::kQueue, .name = "default", .at = kNow - 1h, .by = "ann"}};

    const Why why = explain_why(about);

    EXPECT_EQ(why.code, "paused_queue");
    EXPECT_TRUE(says(why, "since 2026-03-01T11:00:00.000000Z, by ann"));
    EXPECT_TRUE(says(why, "jobhost queues resume default"));
}

TEST(Why, APausedTypeIsToldApartFromAQueueOfTheSameName) {
    WhyFacts about = facts(job(JobState::kEnqueued), {node(1, "mail")});
    about.pauses = {{.kind = Pause::Kind::kQueue, .name = "mail.send"},
                    {.kind = Pause::Kind::kType, .name = "mail.send"}};

    EXPECT_EQ(explain_why(about).code, "paused_type");
}

TEST(Why, APauseOfOneServiceHoldsNothingBackThatAnotherCanRun) {
    WhyFacts about = facts(job(JobState::kEnqueued), {node(1, "mail"), node(2, "mail-eu")});
    about.pauses = {{.kind = Pause::Kind::kQueue, .name = "default", .service = "mail"}};

    EXPECT_EQ(explain_why(about).code, "waits_for_worker");

    about.nodes.pop_back();
    EXPECT_EQ(explain_why(about).code, "paused_queue");
}

TEST(Why, ADueJobCountsTheOthersThatWaitToo) {
    WhyFacts about = facts(job(JobState::kEnqueued), {node(1, "mail")});
    about.due_in_queue = 4;

    EXPECT_TRUE(says(explain_why(about), "3 other due jobs wait too"));

    about.due_in_queue = 1;
    EXPECT_FALSE(says(explain_why(about), "other"));
}

TEST(Why, APassedDeadlineIsToldBeforeAnythingElse) {
    Job about = job(JobState::kEnqueued);
    about.expires_at = kNow - 1s;

    EXPECT_EQ(explain_why(facts(about, {})).code, "deadline_passed");

    about.first_started_at = kNow - 1h;
    EXPECT_EQ(explain_why(facts(about, {})).code, "no_live_node_for_type");
}

TEST(Why, ARunningJobNamesItsNodeAndItsLimit) {
    Job about = job(JobState::kProcessing);
    about.node = 1;
    about.attempts = 1;
    about.started_at = kNow - 90s;
    about.timeout_requested = 5min;

    const Why why = explain_why(facts(about, {node(1, "mail")}));

    EXPECT_EQ(why.code, "running");
    EXPECT_TRUE(says(why, "node 1 (host-1)"));
    EXPECT_TRUE(says(why, "(1m 30s ago)"));
    EXPECT_TRUE(says(why, "its time limit is 5m"));
}

TEST(Why, ARunPastItsLimitSaysSo) {
    Job about = job(JobState::kProcessing);
    about.node = 1;
    about.started_at = kNow - 10min;
    about.timeout_requested = 5min;

    EXPECT_TRUE(says(explain_why(facts(about, {node(1, "mail")})), "past its time limit of 5m"));
}

TEST(Why, AJobThatWasAskedToStopNamesWhoAsked) {
    Job about = job(JobState::kProcessing);
    about.node = 1;
    about.started_at = kNow - 1s;
    about.cancel_requested_by = "ann";

    const Why why = explain_why(facts(about, {node(1, "mail")}));

    EXPECT_EQ(why.code, "cancel_requested");
    EXPECT_TRUE(says(why, "ann asked it to stop"));
}

TEST(Why, ARunPastItsLimitThatGoesOnHoldsItsSlotAndNoRetryRunsBesideIt) {
    Job about = job(JobState::kProcessing);
    about.node = 1;
    about.started_at = kNow - 10s;
    about.stopping = "its time limit of 5 s has passed";

    const Why why = explain_why(facts(about, {node(1, "mail")}));

    EXPECT_EQ(why.code, "stopping");
    EXPECT_TRUE(says(why, "its time limit of 5 s has passed, so it was asked to stop"));
    EXPECT_TRUE(says(why, "no retry runs beside it"));
}

TEST(Why, ANodeThatIsSilentButNotDeadYetIsNamed) {
    Job about = job(JobState::kProcessing);
    about.node = 1;
    about.started_at = kNow - 60s;
    Node silent = node(1, "mail");
    silent.registration.beat_interval = 5s;
    silent.registration.beat_timeout = 30s;
    silent.beat_at = kNow - 20s;

    const Why running = explain_why(facts(about, {silent}));
    EXPECT_EQ(running.code, "node_silent");
    EXPECT_TRUE(says(running, "has not been heard of for 20 s, and counts as dead after 30 s"));

    const Why waiting = explain_why(facts(job(JobState::kEnqueued), {silent}));
    EXPECT_EQ(waiting.code, "nodes_silent");
    Node other = node(2, "mail");
    EXPECT_EQ(explain_why(facts(job(JobState::kEnqueued), {silent, other})).code,
              "waits_for_worker");
}

TEST(Why, AFailedJobTellsWhatBecameOfItsDeadLetterRuns) {
    WhyFacts about = facts(job(JobState::kFailed), {});
    about.dead_letters = {
        {.kind = DeadLetterKind::kHandler,
         .state = DeadLetterState::kInterrupted,
         .error = "the node died"},
        {.kind = DeadLetterKind::kForwarder, .name = "audit", .state = DeadLetterState::kOwed}};

    EXPECT_TRUE(says(explain_why(about),
                     "dead-letter handling: handler interrupted (the node died), "
                     "forwarder audit owed."));
}

TEST(Why, AClaimedJobThatDidNotStartIsNotRunning) {
    Job about = job(JobState::kProcessing);
    about.node = 1;

    EXPECT_EQ(explain_why(facts(about, {node(1, "mail")})).code, "claimed");
}

TEST(Why, AnOrphanWithoutALiveOwnerWaitsForItsService) {
    Job about = job(JobState::kProcessing);
    about.node = 1;
    Node other = node(2, "billing");
    other.registration.types = {{.name = "billing.invoice"}};

    const Why why = explain_why(facts(about, {node(1, "mail", NodeState::kDead), other}));

    EXPECT_EQ(why.code, "orphaned");
    EXPECT_TRUE(says(why, "waits for service mail"));
}

TEST(Why, AnOrphanWithALiveOwnerIsTakenOver) {
    Job about = job(JobState::kProcessing);
    about.node = 1;

    const Why why = explain_why(facts(about, {node(1, "mail", NodeState::kDead), node(2, "mail")}));

    EXPECT_EQ(why.code, "orphaned");
    EXPECT_TRUE(says(why, "takes it over"));
}

TEST(Why, AnOrphanWhoseNodeIsForgottenStillGetsASentence) {
    Job about = job(JobState::kProcessing);
    about.node = 99;

    EXPECT_TRUE(says(explain_why(facts(about, {})), "a node with the type mail.send"));
}

TEST(Why, AnAwaitingJobNamesItsParent) {
    Job about = job(JobState::kAwaiting);
    about.parent_id = 3;

    const Why why = explain_why(facts(about, {}));

    EXPECT_EQ(why.code, "awaiting");
    EXPECT_TRUE(says(why, "job 3"));
}

TEST(Why, AFailedJobTellsReasonAndLastError) {
    Job about = job(JobState::kFailed);
    about.attempts = 3;
    about.reason = "exhausted";
    about.finished_at = kNow;
    about.last_error = error(3);

    const Why why = explain_why(facts(about, {}));

    EXPECT_EQ(why.code, "failed");
    EXPECT_TRUE(says(why, "after 3 attempts (exhausted): std::runtime_error: no route"));
}

TEST(Why, EveryTerminalStateHasItsOwnCode) {
    for (const JobState state :
         {JobState::kSucceeded, JobState::kFailed, JobState::kExpired, JobState::kCancelled}) {
        EXPECT_EQ(explain_why(facts(job(state), {})).code, to_string(state));
    }
}

}  // namespace
}  // namespace jobhost::api
