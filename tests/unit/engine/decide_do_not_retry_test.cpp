#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/engine/decide.h"
#include "tests/unit/engine/decide_facts.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

// SPEC 6: errors that must not be retried.

TEST(DoNotRetry, ListedTypeFailsOnTheFirstOfManyAttemptsAndSaysWhereItIsListed) {
    FakeDelays delays;

    const Decision decision = decide(first_of_three(), failed_with(thrown("pay::InvalidKey")),
                                     not_retried("pay::InvalidKey"), kNow, delays);

    EXPECT_EQ(in_words(decision.next), "fail, must_not_retry: pay::InvalidKey");
    EXPECT_EQ(decision.detail, "pay::InvalidKey is listed in do_not_retry of jobs.mail.send");
    EXPECT_EQ(std::get<Fail>(decision.next).owed.size(), 2U);
}

TEST(DoNotRetry, AnyListedBaseMatches) {
    const auto error =
        thrown("pay::InvalidKey", {"std::invalid_argument", "std::logic_error", "std::exception"});

    for (const char* base : {"std::invalid_argument", "std::logic_error", "std::exception"}) {
        EXPECT_EQ(outcome(first_of_three(), failed_with(error), not_retried(base)),
                  "fail, must_not_retry: pay::InvalidKey")
            << base;
    }
}

TEST(DoNotRetry, ListedDerivedTypeDoesNotMatchItsBase) {
    const auto base = thrown("std::invalid_argument", {"std::logic_error", "std::exception"});

    EXPECT_EQ(outcome(first_of_three(), failed_with(base), not_retried("pay::InvalidKey")),
              "retry in 30 s: std::invalid_argument");
}

TEST(DoNotRetry, EachNestedCauseAndItsBasesMatch) {
    ThrownError wrapper = thrown("std::runtime_error", {"std::exception"});
    for (int level = 1; level <= 7; ++level) {
        wrapper.causes.push_back({"Wrapper" + std::to_string(level), "std::runtime_error"});
    }
    wrapper.causes.push_back({"pay::InvalidKey", "std::invalid_argument"});

    EXPECT_EQ(outcome(first_of_three(), failed_with(wrapper), not_retried("pay::InvalidKey")),
              "fail, must_not_retry: std::runtime_error");
    EXPECT_EQ(outcome(first_of_three(), failed_with(wrapper), not_retried("std::invalid_argument")),
              "fail, must_not_retry: std::runtime_error");
    EXPECT_EQ(outcome(first_of_three(), failed_with(wrapper), not_retried("std::bad_alloc")),
              "retry in 30 s: std::runtime_error");
}

TEST(DoNotRetry, OnlyElementOfAnAggregateCountsAsItsCause) {
    ThrownError aggregate = thrown("jobhost::AggregateError", {"std::exception"});
    aggregate.causes.push_back({"pay::InvalidKey", "std::exception"});

    EXPECT_EQ(outcome(first_of_three(), failed_with(aggregate), not_retried("pay::InvalidKey")),
              "fail, must_not_retry: jobhost::AggregateError");
}

TEST(DoNotRetry, AggregateOfSeveralIsNotLookedInto) {
    const ThrownError aggregate = thrown("jobhost::AggregateError", {"std::exception"});

    EXPECT_EQ(outcome(first_of_three(), failed_with(aggregate), not_retried("pay::InvalidKey")),
              "retry in 30 s: jobhost::AggregateError");
}

TEST(DoNotRetry, NamesOfAllLevelsAreOneList) {
    PolicyLevel type;
    type.origin = "jobs.mail.send";
    type.do_not_retry = {"A"};
    PolicyLevel global;
    global.origin = "retry";
    global.do_not_retry = {"B"};
    const Rules rules = merge({type, global});

    EXPECT_EQ(outcome(first_of_three(), failed_with(thrown("A")), rules),
              "fail, must_not_retry: A");
    EXPECT_EQ(outcome(first_of_three(), failed_with(thrown("B")), rules),
              "fail, must_not_retry: B");
    EXPECT_EQ(outcome(first_of_three(), failed_with(thrown("C")), rules), "retry in 30 s: C");
}

TEST(DoNotRetry, NamesAreComparedWithoutInlineNamespacesAndTags) {
    const auto error = thrown("(anonymous namespace)::std::__cxx11::Broken[abi:cxx11]");

    EXPECT_THAT(outcome(first_of_three(), failed_with(error), not_retried("std::Broken")),
                testing::HasSubstr("must_not_retry"));
}

TEST(DoNotRetry, TimeoutErrorAndItsCauseCanBeListed) {
    RunEnd end = failed_with(thrown("db::Interrupted", {"std::exception"}));
    end.cause = StopCause::kTimeout;

    EXPECT_EQ(outcome(first_of_three(), end, not_retried("jobhost::TimeoutError")),
              "fail, must_not_retry: jobhost::TimeoutError");
    EXPECT_EQ(outcome(first_of_three(), end, not_retried("db::Interrupted")),
              "fail, must_not_retry: jobhost::TimeoutError");
}

TEST(DoNotRetry, PayloadErrorIsListedUnlessTakenOff) {
    const RunEnd end = failed_with(host_error(kPayloadError, "no such field"));
    PolicyLevel taken_off;
    taken_off.retry_payload_errors = true;

    EXPECT_EQ(outcome(first_of_three(), end, rules_of({})),
              "fail, must_not_retry: jobhost::PayloadError");
    EXPECT_EQ(outcome(first_of_three(), end, rules_of(taken_off)),
              "retry in 30 s: jobhost::PayloadError");
}

TEST(DoNotRetry, BeatsTheLimitAsTheReason) {
    RunFacts job = first_of_three();
    job.attempt = 3;

    EXPECT_EQ(outcome(job, failed_with(thrown("A")), not_retried("A")), "fail, must_not_retry: A");
}

}  // namespace
}  // namespace jobhost
