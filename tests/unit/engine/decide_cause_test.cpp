#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/engine/decide.h"
#include "tests/unit/engine/decide_facts.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

// SPEC 5: the first cause wins.

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
    testing::Values(CauseCase{"ReturnedSucceeds", kNone, kNeverLooked, kNotCompleted, Returned{},
                              "succeed with 2 jobs"},
                    CauseCase{"ThrewIsRetried", kNone, kNeverLooked, kNotCompleted,
                              Threw{thrown("Down")}, "retry in 30 s: Down"},
                    CauseCase{"LeftEarlyUnaskedIsItsFault", kNone, kNeverLooked, kNotCompleted,
                              LeftEarly{}, "retry in 30 s: jobhost::PluginContractError"},
                    CauseCase{"SnoozedWaits", kNone, kNeverLooked, kNotCompleted,
                              AskedToSnooze{60s}, "snooze 60 s"},
                    CauseCase{"DiscardedIsCancelled", kNone, kNeverLooked, kNotCompleted,
                              AskedToDiscard{"order is gone"},
                              "cancel, discarded by job: order is gone"},
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
    testing::Values(CauseCase{"LateSuccessIsCountedOnly", kTimeout, kNeverLooked, kNotCompleted,
                              Returned{}, "retry in 30 s: jobhost::TimeoutError", true},
                    CauseCase{"ThrownErrorDoesNotChangeTheType", kTimeout, kSaw, kNotCompleted,
                              Threw{thrown("Down")}, "retry in 30 s: jobhost::TimeoutError"},
                    CauseCase{"LeftEarlyIsATimeout", kTimeout, kSaw, kNotCompleted, LeftEarly{},
                              "retry in 30 s: jobhost::TimeoutError"},
                    CauseCase{"SnoozeIsATimeout", kTimeout, kSaw, kNotCompleted, AskedToSnooze{60s},
                              "retry in 30 s: jobhost::TimeoutError"},
                    CauseCase{"DiscardIsATimeout", kTimeout, kSaw, kNotCompleted,
                              AskedToDiscard{"no"}, "retry in 30 s: jobhost::TimeoutError"},
                    CauseCase{"DeadLetterIsATimeout", kTimeout, kSaw, kNotCompleted,
                              AskedForDeadLetter{"no", thrown("jobhost::DeadLetter")},
                              "retry in 30 s: jobhost::TimeoutError"},
                    CauseCase{"CompletedBeforeSucceeds", kTimeout, kSaw, kCompleted, Returned{},
                              "succeed with 2 jobs"}),
    [](const auto& tested) { return std::string(tested.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Shutdown, FirstCause,
    testing::Values(CauseCase{"NeverLookedAndReturnedSucceeds", kShutdown, kNeverLooked,
                              kNotCompleted, Returned{}, "succeed with 2 jobs"},
                    CauseCase{"SawItAndReturnedIsInterrupted", kShutdown, kSaw, kNotCompleted,
                              Returned{}, "release"},
                    CauseCase{"SawItAndLeftIsInterrupted", kShutdown, kSaw, kNotCompleted,
                              LeftEarly{}, "release"},
                    CauseCase{"SawItAndThrewUsesNoAttempt", kShutdown, kSaw, kNotCompleted,
                              Threw{thrown("Interrupted")}, "release"},
                    CauseCase{"NeverLookedAndThrewUsesNoAttempt", kShutdown, kNeverLooked,
                              kNotCompleted, Threw{thrown("Down")}, "release"},
                    CauseCase{"SnoozeIsGivenBack", kShutdown, kSaw, kNotCompleted,
                              AskedToSnooze{60s}, "release"},
                    CauseCase{"GivenUpIsGivenBack", kShutdown, kNeverLooked, kNotCompleted,
                              LeftEarly{}, "release"},
                    CauseCase{"CompletedBeforeSucceeds", kShutdown, kSaw, kCompleted,
                              Threw{thrown("Down")}, "succeed with 2 jobs"}),
    [](const auto& tested) { return std::string(tested.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Operator, FirstCause,
    testing::Values(CauseCase{"NeverLookedAndReturnedSucceeds", kOperator, kNeverLooked,
                              kNotCompleted, Returned{}, "succeed with 2 jobs"},
                    CauseCase{"SawItAndReturnedIsCancelled", kOperator, kSaw, kNotCompleted,
                              Returned{}, "cancel, cancelled by ana"},
                    CauseCase{"SawItAndLeftIsCancelled", kOperator, kSaw, kNotCompleted,
                              LeftEarly{}, "cancel, cancelled by ana"},
                    CauseCase{"SawItAndThrewIsCancelledWithTheError", kOperator, kSaw,
                              kNotCompleted, Threw{thrown("Interrupted")},
                              "cancel, cancelled by ana: Interrupted"},
                    CauseCase{"SawItAndSnoozedIsCancelled", kOperator, kSaw, kNotCompleted,
                              AskedToSnooze{60s}, "cancel, cancelled by ana"},
                    CauseCase{"NeverLookedAndThrewIsLeftToTheFlag", kOperator, kNeverLooked,
                              kNotCompleted, Threw{thrown("Down")}, "retry in 30 s: Down"},
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

}  // namespace
}  // namespace jobhost
