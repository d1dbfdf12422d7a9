#include "storage/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/storage.h"

namespace jobhost {
namespace {

using testing::Optional;

TEST(JobNames, OfStatesAreReadBackAsTheSameState) {
    for (int number = 0; number < kJobStates; ++number) {
        const auto state = static_cast<JobState>(number);
        EXPECT_THAT(parse_job_state(to_string(state)), Optional(state));
    }
    EXPECT_EQ(to_string(JobState::kProcessing), "processing");
    EXPECT_EQ(parse_job_state("Failed"), std::nullopt);
    EXPECT_EQ(parse_job_state(""), std::nullopt);
}

TEST(JobNames, OfPrioritiesAndDuplicateRulesAreReadBack) {
    for (int number = 0; number < 4; ++number) {
        const auto priority = static_cast<Priority>(number);
        EXPECT_THAT(parse_priority(to_string(priority)), Optional(priority));
    }
    for (int number = 0; number < 3; ++number) {
        const auto rule = static_cast<OnDuplicate>(number);
        EXPECT_THAT(parse_on_duplicate(to_string(rule)), Optional(rule));
    }
    EXPECT_EQ(parse_priority("urgent"), std::nullopt);
    EXPECT_EQ(parse_on_duplicate("allow"), std::nullopt);
}

TEST(JobNames, OfLogLevelsAndDeadLetterStatesAreWords) {
    EXPECT_EQ(to_string(LogLevel::kWarning), "warning");
    EXPECT_EQ(to_string(DeadLetterState::kNotApplicable), "not_applicable");
    EXPECT_EQ(to_string(DeadLetterState::kTimedOut), "timed_out");
}

TEST(JobState, IsTerminalForTheFourEndsOnly) {
    int terminal = 0;
    for (int number = 0; number < kJobStates; ++number) {
        if (is_terminal(static_cast<JobState>(number))) ++terminal;
    }

    EXPECT_EQ(terminal, 4);
    EXPECT_TRUE(is_terminal(JobState::kSucceeded));
    EXPECT_TRUE(is_terminal(JobState::kExpired));
    EXPECT_FALSE(is_terminal(JobState::kAwaiting));
}

}  // namespace
}  // namespace jobhost
