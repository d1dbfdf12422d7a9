#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/engine/decide.h"
#include "tests/unit/engine/decide_facts.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

// SPEC 8: jobs whose node died.

std::string orphan_outcome(const RunFacts& job, const Rules& rules = {}, bool started = true) {
    FakeDelays delays;
    return in_words(decide_orphan(job, "n1", "killed", started, rules, kNow, delays).next);
}

TEST(DecideOrphan, NeverStartedIsGivenBackWhateverElseIsTrue) {
    RunFacts job = first_of_three();
    job.attempt = 3;

    EXPECT_EQ(orphan_outcome(job, not_retried("jobhost::OrphanedJobError"), false), "release");
}

TEST(DecideOrphan, FirstTimeIsRequeuedAtOnceWithTheAttemptUsed) {
    FakeDelays delays;

    const Decision decision =
        decide_orphan(first_of_three(), "n1", "killed", true, {}, kNow, delays);

    EXPECT_EQ(in_words(decision.next), "retry in 0 s: jobhost::OrphanedJobError");
    EXPECT_TRUE(std::get<Retry>(decision.next).orphaned);
    EXPECT_EQ(delays.asked, 0);
}

TEST(DecideOrphan, LaterOnesWaitForTheRetryDelayOrADoublingTimeWhicheverIsLonger) {
    RunFacts job = first_of_three();
    job.max_attempts = 1000;

    job.orphanings = 1;
    EXPECT_EQ(orphan_outcome(job), "retry in 30 s: jobhost::OrphanedJobError");
    job.orphanings = 3;
    EXPECT_EQ(orphan_outcome(job), "retry in 30 s: jobhost::OrphanedJobError");
    job.orphanings = 4;
    EXPECT_EQ(orphan_outcome(job), "retry in 32 s: jobhost::OrphanedJobError");
    job.orphanings = 7;
    EXPECT_EQ(orphan_outcome(job), "retry in 256 s: jobhost::OrphanedJobError");
    job.orphanings = 1'000'000;
    EXPECT_EQ(orphan_outcome(job), "retry in 31536000 s: jobhost::OrphanedJobError");
}

TEST(DecideOrphan, WithoutAttemptsLeftFailsAndOwesItsDeadLetterRuns) {
    RunFacts job = first_of_three();
    job.id = 12;
    job.attempt = 3;
    FakeDelays delays;

    const Decision decision =
        decide_orphan(job, "n1", "killed by signal 9", true, {}, kNow, delays);

    const auto* fail = std::get_if<Fail>(&decision.next);
    ASSERT_NE(fail, nullptr);
    EXPECT_EQ(fail->reason, "orphaned");
    EXPECT_EQ(fail->why.type, "jobhost::OrphanedJobError");
    EXPECT_EQ(fail->why.message,
              "node n1 died (killed by signal 9) while it ran attempt 3 of 3 of job 12");
    EXPECT_EQ(fail->owed.size(), 2U);
}

TEST(DecideOrphan, ListedIsNotRunAgain) {
    EXPECT_EQ(orphan_outcome(first_of_three(), not_retried("jobhost::OrphanedJobError")),
              "fail, must_not_retry: jobhost::OrphanedJobError");
    EXPECT_EQ(orphan_outcome(first_of_three(), not_retried("std::exception")),
              "fail, must_not_retry: jobhost::OrphanedJobError");
}

TEST(DecideOrphan, ListedSaysWhereAsForAnyOtherError) {
    FakeDelays delays;

    const Decision decision = decide_orphan(first_of_three(), "n1", "killed", true,
                                            not_retried("jobhost::OrphanedJobError"), kNow, delays);

    EXPECT_EQ(decision.detail,
              "jobhost::OrphanedJobError is listed in do_not_retry of jobs.mail.send");
}

TEST(DecideOrphan, WhatOnSaysOfItsDelayHoldsButTheLimitIsTheStoredOne) {
    PolicyLevel level;
    level.on = {{"jobhost::OrphanedJobError", {.max_attempts = 9, .initial_delay = 7s}}};
    RunFacts job = first_of_three();
    job.orphanings = 1;
    FakeDelays delays;

    decide_orphan(job, "n1", "killed", true, rules_of(level), kNow, delays);
    EXPECT_EQ(delays.last_rules.initial_delay.value, 7s);
    job.attempt = 3;
    EXPECT_EQ(orphan_outcome(job, rules_of(level)), "fail, orphaned: jobhost::OrphanedJobError");
}

TEST(DecideOrphan, IsNotPlannedPastRetryFor) {
    PolicyLevel level;
    level.retry.retry_for = 10s;
    RunFacts job = first_of_three();

    EXPECT_EQ(orphan_outcome(job, rules_of(level)), "retry in 0 s: jobhost::OrphanedJobError");
    job.orphanings = 1;
    EXPECT_EQ(orphan_outcome(job, rules_of(level)),
              "fail, retry_for elapsed: jobhost::OrphanedJobError");
}

}  // namespace
}  // namespace jobhost
