#include "host/engine/decide.h"

#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scripted_types.h"
#include "tests/unit/engine/decide_facts.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr TimePoint kNow{1'800'000'000s};

/// The first of three attempts.
RunFacts first_of_three() {
    RunFacts job;
    job.type = "mail.send";
    job.attempt = 1;
    job.max_attempts = 3;
    job.first_started_at = kNow;
    job.dead_letters = {{DeadLetterKind::kHandler, "mail.send"},
                        {DeadLetterKind::kForwarder, "audit"}};
    return job;
}

RunEnd ended(RunResult result) {
    RunEnd end;
    end.result = std::move(result);
    return end;
}

RunEnd failed_with(ThrownError why) {
    return ended(Threw{std::move(why)});
}

std::string outcome(const RunFacts& job, const RunEnd& end, const Rules& rules = {}) {
    FakeDelays delays;
    return in_words(decide(job, end, rules, kNow, delays).next);
}

// ---- SPEC 5: the first cause wins

struct CauseCase {
    const char* name;
    StopCause cause;
    bool saw_stop;
    bool completed;
    RunResult result;
    const char* outcome;
    bool late_success = false;
};

void PrintTo(const CauseCase& tested, std::ostream* out) {
    *out << tested.name;
}

class FirstCause : public testing::TestWithParam<CauseCase> {};

TEST_P(FirstCause, DecidesTheOutcome) {
    const CauseCase& tested = GetParam();
    RunEnd end = ended(tested.result);
    end.cause = tested.cause;
    end.saw_stop = tested.saw_stop;
    end.completed = tested.completed;
    end.cancelled_by = "ana";
    end.timeout = 90s;
    end.on_success.resize(2);
    FakeDelays delays;

    const Decision decision = decide(first_of_three(), end, {}, kNow, delays);

    EXPECT_EQ(in_words(decision.next), tested.outcome);
    EXPECT_EQ(decision.late_success, tested.late_success);
}

using enum StopCause;
constexpr bool kSaw = true;
constexpr bool kNeverLooked = false;
constexpr bool kCompleted = true;
constexpr bool kNotCompleted = false;

INSTANTIATE_TEST_SUITE_P(
    NoCause, FirstCause,
    testing::Values(
        CauseCase{"ReturnedSucceeds", kNone, kNeverLooked, kNotCompleted, Returned{},
                  "succeed with 2 jobs"},
        CauseCase{"ThrewIsRetried", kNone, kNeverLooked, kNotCompleted, Threw{thrown("Down")},
                  "retry in 30 s: Down"},
        CauseCase{"LeftEarlyUnaskedIsItsFault", kNone, kNeverLooked, kNotCompleted, LeftEarly{},
                  "retry in 30 s: jobhost::PluginContractError"},
        CauseCase{"SnoozedWaits", kNone, kNeverLooked, kNotCompleted, AskedToSnooze{60s},
                  "snooze 60 s"},
        CauseCase{"DiscardedIsCancelled", kNone, kNeverLooked, kNotCompleted,
                  AskedToDiscard{"order is gone"}, "cancel, discarded by job: order is gone"},
        CauseCase{"DeadLetterFailsForGood", kNone, kNeverLooked, kNotCompleted,
                  AskedForDeadLetter{"no such bank", thrown("jobhost::DeadLetter")},
                  "fail, by job: jobhost::DeadLetter"},
        CauseCase{"CompletedThenThrewSucceeds", kNone, kNeverLooked, kCompleted,
                  Threw{thrown("Down")}, "succeed with 2 jobs"},
        CauseCase{"CompletedThenSnoozedSucceeds", kNone, kNeverLooked, kCompleted,
                  AskedToSnooze{60s}, "succeed with 2 jobs"}),
    [](const auto& tested) { return std::string(tested.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Timeout, FirstCause,
    testing::Values(
        CauseCase{"LateSuccessIsCountedOnly", kTimeout, kNeverLooked, kNotCompleted, Returned{},
                  "retry in 30 s: jobhost::TimeoutError", true},
        CauseCase{"ThrownErrorDoesNotChangeTheType", kTimeout, kSaw, kNotCompleted,
                  Threw{thrown("Down")}, "retry in 30 s: jobhost::TimeoutError"},
        CauseCase{"LeftEarlyIsATimeout", kTimeout, kSaw, kNotCompleted, LeftEarly{},
                  "retry in 30 s: jobhost::TimeoutError"},
        CauseCase{"SnoozeIsATimeout", kTimeout, kSaw, kNotCompleted, AskedToSnooze{60s},
                  "retry in 30 s: jobhost::TimeoutError"},
        CauseCase{"DiscardIsATimeout", kTimeout, kSaw, kNotCompleted, AskedToDiscard{"no"},
                  "retry in 30 s: jobhost::TimeoutError"},
        CauseCase{"DeadLetterIsATimeout", kTimeout, kSaw, kNotCompleted,
                  AskedForDeadLetter{"no", thrown("jobhost::DeadLetter")},
                  "retry in 30 s: jobhost::TimeoutError"},
        CauseCase{"CompletedBeforeSucceeds", kTimeout, kSaw, kCompleted, Returned{},
                  "succeed with 2 jobs"}),
    [](const auto& tested) { return std::string(tested.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Shutdown, FirstCause,
    testing::Values(
        CauseCase{"NeverLookedAndReturnedSucceeds", kShutdown, kNeverLooked, kNotCompleted,
                  Returned{}, "succeed with 2 jobs"},
        CauseCase{"SawItAndReturnedIsInterrupted", kShutdown, kSaw, kNotCompleted, Returned{},
                  "release"},
        CauseCase{"SawItAndLeftIsInterrupted", kShutdown, kSaw, kNotCompleted, LeftEarly{},
                  "release"},
        CauseCase{"SawItAndThrewUsesNoAttempt", kShutdown, kSaw, kNotCompleted,
                  Threw{thrown("Interrupted")}, "release"},
        CauseCase{"NeverLookedAndThrewUsesNoAttempt", kShutdown, kNeverLooked, kNotCompleted,
                  Threw{thrown("Down")}, "release"},
        CauseCase{"SnoozeIsGivenBack", kShutdown, kSaw, kNotCompleted, AskedToSnooze{60s},
                  "release"},
        CauseCase{"GivenUpIsGivenBack", kShutdown, kNeverLooked, kNotCompleted, LeftEarly{},
                  "release"},
        CauseCase{"CompletedBeforeSucceeds", kShutdown, kSaw, kCompleted, Threw{thrown("Down")},
                  "succeed with 2 jobs"}),
    [](const auto& tested) { return std::string(tested.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Operator, FirstCause,
    testing::Values(
        CauseCase{"NeverLookedAndReturnedSucceeds", kOperator, kNeverLooked, kNotCompleted,
                  Returned{}, "succeed with 2 jobs"},
        CauseCase{"SawItAndReturnedIsCancelled", kOperator, kSaw, kNotCompleted, Returned{},
                  "cancel, cancelled by ana"},
        CauseCase{"SawItAndLeftIsCancelled", kOperator, kSaw, kNotCompleted, LeftEarly{},
                  "cancel, cancelled by ana"},
        CauseCase{"SawItAndThrewIsCancelledWithTheError", kOperator, kSaw, kNotCompleted,
                  Threw{thrown("Interrupted")}, "cancel, cancelled by ana: Interrupted"},
        CauseCase{"SawItAndSnoozedIsCancelled", kOperator, kSaw, kNotCompleted, AskedToSnooze{60s},
                  "cancel, cancelled by ana"},
        CauseCase{"NeverLookedAndThrewIsLeftToTheFlag", kOperator, kNeverLooked, kNotCompleted,
                  Threw{thrown("Down")}, "retry in 30 s: Down"},
        CauseCase{"CompletedBeforeSucceeds", kOperator, kSaw, kCompleted, Returned{},
                  "succeed with 2 jobs"}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(Decide, TimeoutNamesTheLimitAndKeepsTheThrownErrorAsItsCause) {
    RunEnd end = failed_with(thrown("db::Interrupted", {}, "query stopped"));
    end.cause = StopCause::kTimeout;
    end.timeout = 1500ms;
    FakeDelays delays;

    const Decision decision = decide(first_of_three(), end, {}, kNow, delays);

    const auto* retry = std::get_if<Retry>(&decision.next);
    ASSERT_NE(retry, nullptr);
    EXPECT_EQ(retry->why.message,
              "did not end within its time limit of 1.5 s; caused by db::Interrupted: query "
              "stopped");
    EXPECT_THAT(retry->why.types, testing::ElementsAre("jobhost::TimeoutError", "std::exception"));
}

TEST(Decide, TimeoutOnTheLastAttemptFailsAndOwesItsDeadLetterRuns) {
    RunFacts job = first_of_three();
    job.attempt = 3;
    RunEnd end = ended(Returned{});
    end.cause = StopCause::kTimeout;
    FakeDelays delays;

    const Decision decision = decide(job, end, {}, kNow, delays);

    const auto* fail = std::get_if<Fail>(&decision.next);
    ASSERT_NE(fail, nullptr);
    EXPECT_EQ(fail->reason, "exhausted");
    EXPECT_EQ(fail->why.type, "jobhost::TimeoutError");
    ASSERT_EQ(fail->owed.size(), 2U);
    EXPECT_EQ(fail->owed[0].kind, DeadLetterKind::kHandler);
    EXPECT_EQ(fail->owed[1].name, "audit");
}

// ---- SPEC 6: the limit

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

// ---- SPEC 6: do_not_retry

Rules not_retried(const std::string& name) {
    PolicyLevel level;
    level.do_not_retry = {name};
    return rules_of(level);
}

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
                HasSubstr("must_not_retry"));
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

// ---- SPEC 6: RetryAfter, DeadLetter, Discard, Snooze

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

// ---- SPEC 6: retry_for

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

// ---- SPEC 6: on

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

// ---- SPEC 8: orphans

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
    job.attempt = 3;
    FakeDelays delays;

    const Decision decision = decide_orphan(job, "n1", "killed by signal 9", true, {}, kNow, delays);

    const auto* fail = std::get_if<Fail>(&decision.next);
    ASSERT_NE(fail, nullptr);
    EXPECT_EQ(fail->reason, "orphaned");
    EXPECT_EQ(fail->why.type, "jobhost::OrphanedJobError");
    EXPECT_EQ(fail->why.message,
              "node n1 died (killed by signal 9) while it ran attempt 3 of 3");
    EXPECT_EQ(fail->owed.size(), 2U);
}

TEST(DecideOrphan, ListedIsNotRunAgain) {
    EXPECT_EQ(orphan_outcome(first_of_three(), not_retried("jobhost::OrphanedJobError")),
              "fail, must_not_retry: jobhost::OrphanedJobError");
    EXPECT_EQ(orphan_outcome(first_of_three(), not_retried("std::exception")),
              "fail, must_not_retry: jobhost::OrphanedJobError");
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
