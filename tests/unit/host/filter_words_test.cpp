#include "host/api/filter_words.h"

#include <gtest/gtest.h>

#include "host/api/request_error.h"

namespace jobhost::api {
namespace {

using namespace std::chrono_literals;

const TimePoint kNow = std::chrono::sys_days(std::chrono::year(2026) / 3 / 1);

TEST(JobFilterWords, BecomeAFilter) {
    const JobFilter filter = job_filter(
        {.states = {"failed", "scheduled"}, .queue = "q", .type = "t", .tag = "g", .error = "e"},
        kNow);

    EXPECT_EQ(filter.states, (std::vector<JobState>{JobState::kFailed, JobState::kScheduled}));
    EXPECT_EQ(filter.queue, "q");
    EXPECT_EQ(filter.type, "t");
    EXPECT_EQ(filter.tag, "g");
    EXPECT_EQ(filter.error, "e");
    EXPECT_EQ(filter.since, std::nullopt);
}

TEST(JobFilterWords, SinceIsADurationBackOrATime) {
    EXPECT_EQ(job_filter({.since = "1h"}, kNow).since, kNow - 1h);
    EXPECT_EQ(job_filter({.since = "2026-02-28T00:00:00Z"}, kNow).since, kNow - 24h);
}

TEST(JobFilterWords, RefuseUnknownStatesAndTimes) {
    EXPECT_THROW(job_filter({.states = {"broken"}}, kNow), RequestError);
    EXPECT_THROW(job_filter({.since = "yesterday"}, kNow), RequestError);
}

TEST(ParseId, TakesPositiveDecimalNumbersOnly) {
    EXPECT_EQ(parse_id("9223372036854775807"), 9223372036854775807);
    for (const char* bad : {"", "0", "-1", "1x", "x", " 1", "1.0", "9223372036854775808"}) {
        EXPECT_THROW(parse_id(bad), RequestError) << bad;
    }
}

TEST(ParseDeadLetterState, KnowsAllOfThem) {
    EXPECT_EQ(parse_dead_letter_state(""), std::nullopt);
    EXPECT_EQ(parse_dead_letter_state("owed"), DeadLetterState::kOwed);
    EXPECT_EQ(parse_dead_letter_state("timed_out"), DeadLetterState::kTimedOut);
    EXPECT_THROW(parse_dead_letter_state("late"), RequestError);
}

}  // namespace
}  // namespace jobhost::api
