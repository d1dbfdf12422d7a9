#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/engine/decide.h"
#include "tests/unit/engine/decide_facts.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

// SPEC 6: limits, and what an error may ask for itself.

TEST(Decide, AttemptsBelowTheStoredLimitAreRetriedAndTheLastOneFails) {
    RunFacts job = first_of_three();

    job.attempt = 2;
    EXPECT_EQ(outcome(job, failed_with(thrown("Down"))), "retry in 30 s: Down");
    job.attempt = 3;
    EXPECT_EQ(outcome(job, failed_with(thrown("Down"))), "fail, exhausted: Down");
}

TEST(Decide, OneAttemptMeansOneRunWithFullDeadLetterHandling) {
    RunFacts job = first_of_three();
    job.max_attempts = 1;
    FakeDelays delays;

    const Decision decision = decide(job, failed_with(thrown("Down")), {}, kNow, delays);

    const auto* fail = std::get_if<Fail>(&decision.next);
    ASSERT_NE(fail, nullptr);
    EXPECT_EQ(fail->owed.size(), 2U);
    EXPECT_EQ(delays.asked, 0) << "chance is only asked when there is a retry";
}

TEST(Decide, OnlyTheLimitStoredAtTheClaimCountsNotTheRulesOfNow) {
    PolicyLevel level;
    level.retry.max_attempts = 20;
    RunFacts job = first_of_three();
    job.attempt = 3;

    EXPECT_EQ(outcome(job, failed_with(thrown("Down")), rules_of(level)), "fail, exhausted: Down");
}

TEST(Decide, DelayIsAskedWithTheAttemptsMadeAndTheRulesInForce) {
    PolicyLevel level;
    level.retry.initial_delay = 5s;
    RunFacts job = first_of_three();
    job.attempt = 2;
    FakeDelays delays;

    decide(job, failed_with(thrown("Down")), rules_of(level), kNow, delays);

    EXPECT_EQ(delays.asked, 1);
    EXPECT_EQ(delays.last_attempts, 2);
    EXPECT_EQ(delays.last_rules.initial_delay.value, 5s);
}

TEST(Decide, NoDelaySourceMakesARetryLaterThanAYear) {
    FakeDelays delays(Duration::max());

    const Decision decision =
        decide(first_of_three(), failed_with(thrown("Down")), {}, kNow, delays);

    EXPECT_EQ(std::get<Retry>(decision.next).delay, 24h * 365);
}

RunEnd retry_after(Duration delay) {
    ThrownError error = thrown("jobhost::RetryAfter", {"std::exception"});
    error.retry_after = delay;
    return failed_with(error);
}

TEST(RetryAfter, ReplacesTheDelayAndIsNotCutByMaxDelay) {
    PolicyLevel level;
    level.retry.initial_delay = 1s;
    level.retry.max_delay = 5s;

    EXPECT_EQ(outcome(first_of_three(), retry_after(2h), rules_of(level)),
              "retry in 7200 s: jobhost::RetryAfter");
    EXPECT_EQ(outcome(first_of_three(), retry_after(0s), rules_of(level)),
              "retry in 0 s: jobhost::RetryAfter");
}

TEST(RetryAfter, IsNeverNegativeNorLongerThanAYear) {
    EXPECT_EQ(outcome(first_of_three(), retry_after(-5s)), "retry in 0 s: jobhost::RetryAfter");
    EXPECT_EQ(outcome(first_of_three(), retry_after(Duration::max())),
              "retry in 31536000 s: jobhost::RetryAfter");
    EXPECT_EQ(outcome(first_of_three(), retry_after(Duration::min())),
              "retry in 0 s: jobhost::RetryAfter");
}

TEST(RetryAfter, BeatsNeitherTheLimitNorTheListNorRetryFor) {
    RunFacts last = first_of_three();
    last.attempt = 3;
    PolicyLevel short_lived;
    short_lived.retry.retry_for = 1min;

    EXPECT_EQ(outcome(last, retry_after(1s)), "fail, exhausted: jobhost::RetryAfter");
    EXPECT_EQ(outcome(first_of_three(), retry_after(1s), not_retried("jobhost::RetryAfter")),
              "fail, must_not_retry: jobhost::RetryAfter");
    EXPECT_EQ(outcome(first_of_three(), retry_after(61s), rules_of(short_lived)),
              "fail, retry_for elapsed: jobhost::RetryAfter");
}

TEST(DeadLetter, ByTheJobOwesItsRunsOnTheFirstAttempt) {
    FakeDelays delays;
    const RunEnd end = ended(AskedForDeadLetter{"no such bank", thrown("jobhost::DeadLetter")});

    const Decision decision = decide(first_of_three(), end, {}, kNow, delays);

    EXPECT_EQ(decision.detail, "no such bank");
    EXPECT_EQ(std::get<Fail>(decision.next).owed.size(), 2U);
}

TEST(Snooze, LastsAtLeastASecondAndAtMostAYear) {
    EXPECT_EQ(outcome(first_of_three(), ended(AskedToSnooze{0s})), "snooze 1 s");
    EXPECT_EQ(outcome(first_of_three(), ended(AskedToSnooze{Duration::min()})), "snooze 1 s");
    EXPECT_EQ(outcome(first_of_three(), ended(AskedToSnooze{1001ms})), "snooze 1 s");
    EXPECT_EQ(outcome(first_of_three(), ended(AskedToSnooze{Duration::max()})),
              "snooze 31536000 s");
}

TEST(Snooze, UsesNoAttemptAlsoOnTheLastOne) {
    RunFacts job = first_of_three();
    job.attempt = 3;

    EXPECT_EQ(outcome(job, ended(AskedToSnooze{60s})), "snooze 60 s");
}

TEST(Snooze, FailsAtTheLimitOfSnoozes) {
    RunFacts job = first_of_three();
    job.max_snoozes = 5;

    job.snoozes = 4;
    EXPECT_EQ(outcome(job, ended(AskedToSnooze{60s})), "snooze 60 s");
    job.snoozes = 5;
    EXPECT_EQ(outcome(job, ended(AskedToSnooze{60s})), "fail, exhausted: jobhost::Snooze");
}

TEST(Snooze, FailsPastRetryFor) {
    PolicyLevel level;
    level.retry.retry_for = 1min;

    EXPECT_EQ(outcome(first_of_three(), ended(AskedToSnooze{60s}), rules_of(level)), "snooze 60 s");
    EXPECT_EQ(outcome(first_of_three(), ended(AskedToSnooze{61s}), rules_of(level)),
              "fail, retry_for elapsed: jobhost::Snooze");
}

TEST(RetryFor, NoRetryIsPlannedPastItCountedFromTheFirstStart) {
    PolicyLevel level;
    level.retry.retry_for = 100s;
    RunFacts job = first_of_three();

    job.first_started_at = kNow - 70s;
    EXPECT_EQ(outcome(job, failed_with(thrown("Down")), rules_of(level)), "retry in 30 s: Down");
    job.first_started_at = kNow - 70s - 1us;
    EXPECT_EQ(outcome(job, failed_with(thrown("Down")), rules_of(level)),
              "fail, retry_for elapsed: Down");
}

TEST(RetryFor, EndlessOneNeverElapses) {
    PolicyLevel level;
    level.retry.retry_for = Duration::max();

    EXPECT_EQ(outcome(first_of_three(), failed_with(thrown("Down")), rules_of(level)),
              "retry in 30 s: Down");
    EXPECT_EQ(outcome(first_of_three(), ended(AskedToSnooze{60s}), rules_of(level)), "snooze 60 s");
}

}  // namespace
}  // namespace jobhost
