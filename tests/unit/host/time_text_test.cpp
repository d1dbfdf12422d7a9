#include "host/text/time_text.h"

#include <gtest/gtest.h>

namespace jobhost {
namespace {

using namespace std::chrono_literals;

const TimePoint kDay = std::chrono::sys_days(std::chrono::year(2026) / 2 / 28);

TEST(TimeText, AlwaysHasSixDecimalsAndZ) {
    EXPECT_EQ(time_text(kDay), "2026-02-28T00:00:00.000000Z");
    EXPECT_EQ(time_text(kDay + 23h + 59min + 59s + 1us), "2026-02-28T23:59:59.000001Z");
}

TEST(TimeText, ShowsTimesBefore1970Too) {
    EXPECT_EQ(time_text(TimePoint(-1us)), "1969-12-31T23:59:59.999999Z");
}

TEST(ParseTime, ReadsBackWhatTimeTextWrites) {
    const TimePoint time = kDay + 13h + 7min + 5s + 123456us;

    EXPECT_EQ(parse_time(time_text(time)), time);
}

TEST(ParseTime, TakesOffsetsIntoAccount) {
    EXPECT_EQ(parse_time("2026-02-28T01:00:00+01:00"), kDay);
    EXPECT_EQ(parse_time("2026-02-27T18:30:00-05:30"), kDay);
    EXPECT_EQ(parse_time("2026-02-28t00:00:00z"), kDay);
}

TEST(ParseTime, ReadsAnyNumberOfDecimalsAndDropsTheRest) {
    EXPECT_EQ(parse_time("2026-02-28T00:00:00.5Z"), kDay + 500ms);
    EXPECT_EQ(parse_time("2026-02-28T00:00:00.1234567899Z"), kDay + 123456us);
}

TEST(ParseTime, KnowsLeapYears) {
    EXPECT_TRUE(parse_time("2028-02-29T00:00:00Z").has_value());
    EXPECT_FALSE(parse_time("2026-02-29T00:00:00Z").has_value());
}

TEST(ParseTime, RefusesATimeWithoutZone) {
    const auto parsed = parse_time("2026-02-28T00:00:00");

    ASSERT_FALSE(parsed.has_value());
    EXPECT_NE(parsed.error().find("offset"), std::string::npos);
}

class BadTime : public testing::TestWithParam<const char*> {};

TEST_P(BadTime, IsRefusedWithASentence) {
    const auto parsed = parse_time(GetParam());

    ASSERT_FALSE(parsed.has_value());
    EXPECT_TRUE(parsed.error().starts_with("must"));
}

INSTANTIATE_TEST_SUITE_P(ParseTime, BadTime,
                         testing::Values("", "now", "2026-02-28", "2026-13-01T00:00:00Z",
                                         "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
                                         "2026-01-01T00:00:61Z", "2026-01-01T00:00:00.Z",
                                         "2026-01-01T00:00:00Z ", "1969-12-31T23:59:59Z",
                                         "9999-12-31T23:59:59-01:00", "2026-01-01T00:00:00+24:00",
                                         "2026-1-01T00:00:00Z"));

}  // namespace
}  // namespace jobhost
