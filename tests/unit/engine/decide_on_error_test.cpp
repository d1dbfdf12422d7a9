#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/engine/decide.h"
#include "tests/unit/engine/decide_facts.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

// SPEC 6: rules of its own for an error type.

Rules with_http_error(RetryLevel retry) {
    PolicyLevel level;
    level.on = {{"HttpError", retry}};
    return rules_of(level);
}

TEST(OnError, ReplacesTheCurveForThatErrorOnly) {
    RetryLevel minute;
    minute.initial_delay = 1min;
    FakeDelays delays;

    decide(first_of_three(), failed_with(thrown("HttpError")), with_http_error(minute), kNow,
           delays);
    EXPECT_EQ(delays.last_rules.curve_kind.value, CurveKind::kExponential);
    EXPECT_EQ(delays.last_rules.initial_delay.value, 1min);
    decide(first_of_three(), failed_with(thrown("Other")), with_http_error(minute), kNow, delays);
    EXPECT_EQ(delays.last_rules.curve_kind.value, CurveKind::kBuiltIn);
}

TEST(OnError, LiftsAndLowersTheLimitOfTheType) {
    RetryLevel twenty;
    twenty.max_attempts = 20;
    RetryLevel none;
    none.max_attempts = 0;
    RunFacts job = first_of_three();

    job.attempt = 19;
    EXPECT_EQ(outcome(job, failed_with(thrown("HttpError")), with_http_error(twenty)),
              "retry in 30 s: HttpError");
    job.attempt = 20;
    EXPECT_EQ(outcome(job, failed_with(thrown("HttpError")), with_http_error(twenty)),
              "fail, exhausted: HttpError");
    job.attempt = 1;
    EXPECT_EQ(outcome(job, failed_with(thrown("HttpError")), with_http_error(none)),
              "fail, exhausted: HttpError");
}

TEST(OnError, NeverLiftsALimitGivenAtEnqueue) {
    RetryLevel twenty;
    twenty.max_attempts = 20;
    RunFacts job = first_of_three();
    job.limit_requested = true;

    job.attempt = 2;
    EXPECT_EQ(outcome(job, failed_with(thrown("HttpError")), with_http_error(twenty)),
              "retry in 30 s: HttpError");
    job.attempt = 3;
    EXPECT_EQ(outcome(job, failed_with(thrown("HttpError")), with_http_error(twenty)),
              "fail, exhausted: HttpError");
}

TEST(OnError, WithoutALimitOfItsOwnKeepsTheStoredOne) {
    RetryLevel minute;
    minute.initial_delay = 1min;
    RunFacts job = first_of_three();
    job.attempt = 3;

    EXPECT_EQ(outcome(job, failed_with(thrown("HttpError")), with_http_error(minute)),
              "fail, exhausted: HttpError");
}

TEST(OnError, ItsRetryForReplacesThatOfTheType) {
    PolicyLevel level;
    level.retry.retry_for = 10s;
    RetryLevel day;
    day.retry_for = 24h;
    level.on = {{"HttpError", day}};

    EXPECT_EQ(outcome(first_of_three(), failed_with(thrown("HttpError")), rules_of(level)),
              "retry in 30 s: HttpError");
    EXPECT_EQ(outcome(first_of_three(), failed_with(thrown("Down")), rules_of(level)),
              "fail, retry_for elapsed: Down");
}

TEST(OnError, DoNotRetryIsAskedFirst) {
    PolicyLevel level;
    RetryLevel twenty;
    twenty.max_attempts = 20;
    level.on = {{"HttpError", twenty}};
    level.do_not_retry = {"HttpError"};

    EXPECT_EQ(outcome(first_of_three(), failed_with(thrown("HttpError")), rules_of(level)),
              "fail, must_not_retry: HttpError");
}

}  // namespace
}  // namespace jobhost
