#include "host/engine/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/engine/error_names.h"
#include "tests/support/scripted_types.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;

PolicyLevel level(const std::string& origin, RetryLevel retry = {}) {
    PolicyLevel made;
    made.origin = origin;
    made.retry = std::move(retry);
    return made;
}

TEST(Merge, NothingSetIsTheBuiltInPolicy) {
    const Rules rules = merge({level("jobs.a"), level("retry")});

    EXPECT_EQ(rules.max_attempts.value, 10);
    EXPECT_EQ(rules.max_attempts.origin, "built-in");
    EXPECT_EQ(rules.curve_kind.value, CurveKind::kBuiltIn);
    EXPECT_EQ(rules.timeout.value, std::nullopt);
    EXPECT_EQ(rules.retry_for.value, std::nullopt);
    EXPECT_FALSE(rules.at_least_once.value);
    EXPECT_THAT(rules.contradiction, IsEmpty());
    ASSERT_EQ(rules.do_not_retry.size(), 1U);
    EXPECT_EQ(rules.do_not_retry[0].value, "jobhost::PayloadError");
}

TEST(Merge, EachFieldComesFromTheFirstLevelThatSetsIt) {
    PolicyLevel yaml = level("jobs.a", {.multiplier = 3.0});
    PolicyLevel plugin = level("plugin p 1.0", {.initial_delay = 30s, .multiplier = 2.0});
    plugin.timeout = 5min;
    PolicyLevel queue = level("queue q", {.max_attempts = 5, .max_delay = 1h});
    queue.timeout = 1min;
    queue.at_least_once = true;
    PolicyLevel global = level("retry", {.max_attempts = 7, .max_delay = 2h, .retry_for = 24h});
    global.at_least_once = false;

    const Rules rules = merge({yaml, plugin, queue, global});

    EXPECT_EQ(rules.max_attempts.value, 5);
    EXPECT_EQ(rules.max_attempts.origin, "queue q");
    EXPECT_EQ(rules.initial_delay.value, 30s);
    EXPECT_EQ(rules.initial_delay.origin, "plugin p 1.0");
    EXPECT_EQ(rules.multiplier.value, 3.0);
    EXPECT_EQ(rules.multiplier.origin, "jobs.a");
    EXPECT_EQ(rules.max_delay.value, 1h);
    EXPECT_EQ(rules.max_delay.origin, "queue q");
    EXPECT_EQ(rules.retry_for.value, 24h);
    EXPECT_EQ(rules.retry_for.origin, "retry");
    EXPECT_EQ(rules.timeout.value, 5min);
    EXPECT_EQ(rules.timeout.origin, "plugin p 1.0");
    EXPECT_TRUE(rules.at_least_once.value);
    EXPECT_EQ(rules.at_least_once.origin, "queue q");
    EXPECT_THAT(rules.contradiction, IsEmpty());
}

TEST(Merge, SetToTheDefaultIsNotTheSameAsNotSet) {
    const Rules rules =
        merge({level("jobs.a", {.max_attempts = 10}), level("retry", {.max_attempts = 3})});

    EXPECT_EQ(rules.max_attempts.value, 10);
    EXPECT_EQ(rules.max_attempts.origin, "jobs.a");
}

TEST(Merge, ZeroAndOneAttemptsBothMeanOneRun) {
    EXPECT_EQ(merge({level("jobs.a", {.max_attempts = 0})}).max_attempts.value, 1);
    EXPECT_EQ(merge({level("jobs.a", {.max_attempts = 1})}).max_attempts.value, 1);
    EXPECT_EQ(merge({level("jobs.a", {.max_attempts = 0}), level("retry", {.max_attempts = 9})})
                  .max_attempts.value,
              1);
}

TEST(Merge, TimeoutOfZeroOfANarrowLevelMeansNone) {
    PolicyLevel none = level("jobs.a");
    none.timeout = 0s;
    PolicyLevel ten = level("global");
    ten.timeout = 10min;

    const Rules rules = merge({none, ten});

    EXPECT_EQ(rules.timeout.value, 0s);
    EXPECT_EQ(rules.timeout.origin, "jobs.a");
}

// ---- the kind of curve

TEST(MergeCurve, FirstLevelWithInitialDelayBeatsAWiderDelayFunction) {
    const Rules rules =
        merge({level("jobs.a", {.initial_delay = 1s}), level("retry", {.delay = "slow"})});

    EXPECT_EQ(rules.curve().kind, CurveKind::kExponential);
    EXPECT_EQ(rules.curve().initial_delay, 1s);
    EXPECT_EQ(rules.curve_kind.origin, "jobs.a");
}

TEST(MergeCurve, FirstLevelWithADelayFunctionBeatsWiderNumbers) {
    const Rules rules =
        merge({level("jobs.a", {.delay = "slow"}),
               level("retry", {.initial_delay = 1s, .multiplier = 3.0, .max_delay = 1h})});

    EXPECT_EQ(rules.curve().kind, CurveKind::kFunction);
    EXPECT_EQ(rules.curve().function, "slow");
    EXPECT_THAT(rules.contradiction, IsEmpty()) << "numbers of wider levels are ignored";
}

TEST(MergeCurve, DelayDefaultReturnsToTheBuiltInCurve) {
    const Rules rules =
        merge({level("jobs.a", {.delay = "default"}),
               level("retry", {.initial_delay = 1s, .multiplier = 3.0, .max_delay = 1h})});

    EXPECT_EQ(rules.curve().kind, CurveKind::kBuiltIn);
    EXPECT_EQ(rules.curve_kind.origin, "jobs.a");
    EXPECT_THAT(rules.contradiction, IsEmpty());
}

TEST(MergeCurve, InitialDelayUnderADelayDefaultIsIgnored) {
    const Rules rules =
        merge({level("jobs.a"), level("plugin p", {.delay = "default"}),
               level("queue q", {.delay = "slow"}), level("retry", {.initial_delay = 1s})});

    EXPECT_EQ(rules.curve().kind, CurveKind::kBuiltIn);
    EXPECT_EQ(rules.curve_kind.origin, "plugin p");
}

// ---- contradictions

struct Contradiction {
    const char* name;
    std::vector<PolicyLevel> levels;
    const char* sentence;
};

TEST(MergeContradiction, EachIsOneSentenceThatNamesTheLevel) {
    const std::vector<Contradiction> cases = {
        {"multiplier alone", {level("jobs.a", {.multiplier = 3.0})}, "jobs.a sets multiplier"},
        {"max_delay alone", {level("retry", {.max_delay = 1h})}, "retry sets max_delay"},
        {"multiplier beside a function",
         {level("jobs.a", {.multiplier = 3.0, .delay = "slow"})},
         "jobs.a sets multiplier"},
        {"max_delay narrower than the function",
         {level("jobs.a", {.max_delay = 1h}), level("retry", {.delay = "slow"})},
         "jobs.a sets max_delay"},
        {"multiplier narrower than delay: default",
         {level("jobs.a", {.multiplier = 3.0}), level("retry", {.delay = "default"})},
         "jobs.a sets multiplier"},
        {"max_delay shorter than initial_delay on one level",
         {level("jobs.a", {.initial_delay = 1h, .max_delay = 1min})},
         "max_delay (jobs.a) is shorter than initial_delay (jobs.a)"},
    };

    for (const Contradiction& tested : cases) {
        EXPECT_THAT(merge(tested.levels).contradiction, HasSubstr(tested.sentence)) << tested.name;
    }
}

TEST(MergeContradiction, AShorterMaxDelayOfAnotherLevelJustCaps) {
    const Rules rules =
        merge({level("jobs.a", {.initial_delay = 1h}), level("retry", {.max_delay = 1min})});

    EXPECT_THAT(rules.contradiction, IsEmpty());
    EXPECT_EQ(rules.curve().max_delay, 1min);
}

TEST(MergeContradiction, NumbersFindTheirInitialDelayOnAnyLevel) {
    EXPECT_THAT(merge({level("jobs.a", {.multiplier = 3.0, .max_delay = 1h}),
                       level("retry", {.initial_delay = 1s})})
                    .contradiction,
                IsEmpty());
    EXPECT_THAT(merge({level("jobs.a", {.initial_delay = 1s}),
                       level("retry", {.multiplier = 3.0, .max_delay = 1h})})
                    .contradiction,
                IsEmpty());
    EXPECT_THAT(merge({level("jobs.a", {.initial_delay = 1h, .max_delay = 1h})}).contradiction,
                IsEmpty());
}

// ---- on

TEST(WithOn, LaysItsFieldsOverTheRulesAndKeepsTheRest) {
    PolicyLevel type = level("jobs.a", {.initial_delay = 30s, .multiplier = 3.0});
    type.timeout = 5min;
    type.do_not_retry = {"A"};
    type.on = {{"HttpError", {.max_attempts = 20, .initial_delay = 1min}}};
    const Rules rules = merge({type, level("retry", {.max_attempts = 4, .retry_for = 24h})});

    const Rules on = with_on(rules, rules.on[0][0]);

    EXPECT_EQ(on.max_attempts.value, 20);
    EXPECT_EQ(on.max_attempts.origin, "jobs.a on HttpError");
    EXPECT_EQ(on.initial_delay.value, 1min);
    EXPECT_EQ(on.multiplier.value, 3.0);
    EXPECT_EQ(on.retry_for.value, 24h);
    EXPECT_EQ(on.timeout.value, 5min);
    EXPECT_EQ(on.do_not_retry.size(), 2U);
}

TEST(WithOn, ItsDelayChoosesTheCurve) {
    PolicyLevel type = level("jobs.a", {.initial_delay = 30s});
    type.on = {{"A", {.delay = "slow"}}, {"B", {.delay = "default"}}, {"C", {.max_attempts = 2}}};
    const Rules rules = merge({type});

    EXPECT_EQ(with_on(rules, rules.on[0][0]).curve().kind, CurveKind::kFunction);
    EXPECT_EQ(with_on(rules, rules.on[0][1]).curve().kind, CurveKind::kBuiltIn);
    EXPECT_EQ(with_on(rules, rules.on[0][2]).curve().kind, CurveKind::kExponential);
}

TEST(FindOn, TakesTheFirstLevelWithAHitEvenWhenAWiderOneIsMoreDerived) {
    PolicyLevel narrow = level("jobs.a");
    narrow.on = {{"std::exception", {.max_attempts = 2}}};
    PolicyLevel wide = level("retry");
    wide.on = {{"HttpError", {.max_attempts = 20}}};
    const Rules rules = merge({narrow, wide});

    const auto* found =
        find_on(thrown("HttpError", {"std::runtime_error", "std::exception"}), rules.on);

    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->origin, "jobs.a on std::exception");
}

TEST(FindOn, TakesTheMostDerivedOfALevelInWhateverOrderTheyAreWritten) {
    PolicyLevel type = level("jobs.a");
    type.on = {{"std::exception", {}}, {"std::runtime_error", {}}, {"HttpError", {}}};
    const Rules rules = merge({type});

    const auto name_of = [&](const ThrownError& error) {
        const auto* found = find_on(error, rules.on);
        return found == nullptr ? std::string("none") : found->value.type;
    };

    EXPECT_EQ(name_of(thrown("HttpError", {"std::runtime_error", "std::exception"})), "HttpError");
    EXPECT_EQ(name_of(thrown("DbError", {"std::runtime_error", "std::exception"})),
              "std::runtime_error");
    EXPECT_EQ(name_of(thrown("std::bad_alloc", {"std::exception"})), "std::exception");
    EXPECT_EQ(name_of(thrown("int")), "none");
}

TEST(FindOn, AWiderLevelIsAskedWhenTheNarrowOneHasNoHit) {
    PolicyLevel narrow = level("jobs.a");
    narrow.on = {{"Other", {}}};
    PolicyLevel wide = level("retry");
    wide.on = {{"HttpError", {}}};
    const Rules rules = merge({narrow, wide});

    const auto* found = find_on(thrown("HttpError"), rules.on);

    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->origin, "retry on HttpError");
}

// ---- names

TEST(NormalisedTypeName, DropsWhatDoesNotTellTypesApart) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"std::runtime_error", "std::runtime_error"},
        {"std::__cxx11::basic_string<char>", "std::basic_string<char>"},
        {"std::__1::system_error", "std::system_error"},
        {"std::__ndk1::chrono::__private::x", "std::chrono::x"},
        {"__gnu_cxx::recursive_init_error", "__gnu_cxx::recursive_init_error"},
        {"pay::__Broken", "pay::__Broken"},
        {"std::filesystem::__cxx11::filesystem_error", "std::filesystem::filesystem_error"},
        {"jobhost::v1::TimeoutError", "jobhost::TimeoutError"},
        {"(anonymous namespace)::Broken", "Broken"},
        {"pay::(anonymous namespace)::Broken", "pay::Broken"},
        {"pay::{anonymous}::Broken", "pay::Broken"},
        {"pay::Broken[abi:cxx11]", "pay::Broken"},
        {"Wrapper<std::__cxx11::list<pay::(anonymous namespace)::A> >",
         "Wrapper<std::list<pay::A> >"},
        {"std::ios_base::failure[abi:cxx11]", "std::ios_base::failure"},
        {"  pay::Broken ", "pay::Broken"},
        {"Broken[abi:", "Broken"},
        {"std::__", "std::__"},
        {"", ""},
        {"   ", ""},
    };

    for (const auto& [name, normalised] : cases) {
        EXPECT_EQ(normalised_type_name(name), normalised) << name;
    }
}

TEST(NormalisedTypeName, KeepsTheCaseAndTheNamespace) {
    EXPECT_NE(normalised_type_name("pay::invalidkey"), normalised_type_name("pay::InvalidKey"));
    EXPECT_NE(normalised_type_name("InvalidKey"), normalised_type_name("pay::InvalidKey"));
}

}  // namespace
}  // namespace jobhost
