#include "config/retry_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jobhost::config {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> check(const std::vector<RetryValues>& levels, Levels known) {
    std::vector<const RetryValues*> pointers;
    for (const RetryValues& level : levels) pointers.push_back(&level);
    std::vector<std::string> problems;
    for (const RetryProblem& problem : check_merged_retry(pointers, known)) {
        problems.push_back(std::to_string(problem.level) + " " + problem.key);
    }
    return problems;
}

TEST(MergedRetry, NeedsAnInitialDelayForMultiplierAndMaxDelay) {
    EXPECT_THAT(check({}, Levels::kAll), IsEmpty());
    EXPECT_THAT(check({{.max_attempts = 3}}, Levels::kAll), IsEmpty());
    EXPECT_THAT(check({{.multiplier = 3.0, .max_delay = 1h}}, Levels::kAll),
                ElementsAre("0 multiplier", "0 max_delay"));
    EXPECT_THAT(check({{.max_attempts = 3}, {.max_delay = 1h}}, Levels::kAll),
                ElementsAre("1 max_delay"));
}

TEST(MergedRetry, TakesTheInitialDelayFromAnyLevel) {
    EXPECT_THAT(check({{.multiplier = 3.0}, {.initial_delay = 1s}}, Levels::kAll), IsEmpty());
    EXPECT_THAT(check({{.initial_delay = 1s}, {.multiplier = 3.0}}, Levels::kAll), IsEmpty());
}

TEST(MergedRetry, LeavesTheUnknownLevelsTheBenefitOfTheDoubt) {
    EXPECT_THAT(check({{.multiplier = 3.0}}, Levels::kNarrowest), IsEmpty());
}

TEST(MergedRetry, DoesNotLookAtAnotherCurveOfWiderLevels) {
    const RetryValues wide{.initial_delay = 1s, .multiplier = 3.0, .max_delay = 1h};

    EXPECT_THAT(check({{.delay = "default"}, wide}, Levels::kAll), IsEmpty());
    EXPECT_THAT(check({{.delay = "mine"}, {.multiplier = 3.0}}, Levels::kAll), IsEmpty());
}

TEST(MergedRetry, RefusesValuesThatANamedDelayMakesUseless) {
    EXPECT_THAT(
        check({{.multiplier = 3.0}, {.delay = "mine"}, {.initial_delay = 1s}}, Levels::kAll),
        ElementsAre("0 multiplier"));
    EXPECT_THAT(check({{.max_delay = 1h, .delay = "mine"}}, Levels::kNarrowest),
                ElementsAre("0 max_delay"));
}

TEST(MergedRetry, RefusesTwoCurvesInOneLevel) {
    EXPECT_THAT(check({{.initial_delay = 1s, .delay = "default"}}, Levels::kNarrowest),
                ElementsAre("0 delay"));
    EXPECT_THAT(check({{.initial_delay = 1s}, {.delay = "mine"}}, Levels::kAll), IsEmpty());
}

TEST(MergedRetry, LetsOnlyAWiderMaxDelayLieBelowTheInitialDelay) {
    EXPECT_THAT(check({{.initial_delay = 2h, .max_delay = 1h}}, Levels::kNarrowest),
                ElementsAre("0 max_delay"));
    EXPECT_THAT(check({{.initial_delay = 2h, .max_delay = 2h}}, Levels::kAll), IsEmpty());
    EXPECT_THAT(check({{.initial_delay = 2h}, {.max_delay = 1h}}, Levels::kAll), ElementsAre());
}

TEST(MergedRetry, SaysWhichDelayIsInTheWay) {
    const RetryValues own{.delay = "mine", .where = "j.yaml:3"};
    const RetryValues entry{.multiplier = 2.0};
    const RetryValues* levels[] = {&entry, &own};

    EXPECT_THAT(
        check_merged_retry(levels, Levels::kAll),
        ElementsAre(RetryProblem{
            0, "multiplier", "has no use with delay: `mine` (j.yaml:3); it needs initial_delay"}));
}

}  // namespace
}  // namespace jobhost::config
