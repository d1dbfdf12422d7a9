#include <gtest/gtest.h>

#include "config/decimal.h"
#include "config/duration.h"
#include "config/size.h"

namespace jobhost::config {
namespace {

using namespace std::chrono_literals;

TEST(Duration, ReadsOneNumberWithOneUnitOrTheClockForm) {
    const std::pair<const char*, Duration> cases[] = {
        {"500ms", 500ms},
        {"1500ms", 1500ms},
        {"999ms", 999ms},
        {"30s", 30s},
        {"5m", 5min},
        {"1h", 1h},
        {"7d", 168h},
        {"0", 0s},
        {"0s", 0s},
        {"00:00:30", 30s},
        {"01:30:00", 90min},
        {"08:09:10", 8h + 9min + 10s},
        {"100:00:00", 100h},
        {"36500d", kLongestDuration},
        {"876000:00:00", kLongestDuration},
    };
    for (const auto& [text, expected] : cases) {
        const auto parsed = parse_duration(text);
        ASSERT_TRUE(parsed) << text << ": " << parsed.error();
        EXPECT_EQ(*parsed, expected) << text;
    }
}

TEST(Duration, RefusesEverythingElseAndSaysWhatToWrite) {
    const std::pair<const char*, const char*> cases[] = {
        {"90", "the unit is missing"},
        {"1.5s", "write 1500ms for 1.5s"},
        {"0.2s", "write 1500ms for 1.5s"},
        {"1h30m", "write 90m for 1h30m"},
        {"05m", "no leading zeros"},
        {"00", "the unit is missing"},
        {"1:30:00", "two digits"},
        {"01:30", "hours, minutes and seconds"},
        {"01:60:00", "00 to 59"},
        {"01:00:61", "00 to 59"},
        {"01:00:0", "00 to 59"},
        {"0x:00:00", "00 to 59"},
        {"-5s", "not `-5s`"},
        {"+5s", "not `+5s`"},
        {"5 s", "not `5 s`"},
        {" 5s", "not ` 5s`"},
        {"s", "not `s`"},
        {"", "not ``"},
        {"5S", "not `5S`"},
        {"5us", "not `5us`"},
        {"5w", "not `5w`"},
        {"5min", "not `5min`"},
    };
    for (const auto& [text, expected] : cases) {
        const auto parsed = parse_duration(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_TRUE(parsed.error().starts_with("must be a duration such as ")) << parsed.error();
        EXPECT_NE(parsed.error().find(expected), std::string::npos) << parsed.error();
    }
}

TEST(Duration, NeverOverflows) {
    for (const char* text : {"36501d", "876001h", "999999999999999999999999d", "876000:00:01",
                             "99999999999999999999:00:00", "9223372036854775807ms"}) {
        const auto parsed = parse_duration(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_EQ(parsed.error(), "must be at most 36500d") << text;
    }
}

TEST(Duration, IsWrittenInTheShortestFormThatReadsBack) {
    const std::pair<Duration, const char*> cases[] = {
        {0s, "0s"}, {90s, "90s"}, {120s, "2m"}, {1500ms, "1500ms"}, {48h, "2d"}, {25h, "25h"}};
    for (const auto& [duration, expected] : cases) {
        EXPECT_EQ(to_string(duration), expected);
        EXPECT_EQ(parse_duration(expected), duration);
    }
    EXPECT_EQ(to_string(Duration(7)), "7us");
}

TEST(Size, ReadsBinaryUnitsAndPlainBytes) {
    const std::pair<const char*, std::int64_t> cases[] = {
        {"64KiB", 65'536}, {"1MiB", 1'048'576}, {"2GiB", 2'147'483'648},
        {"0", 0},          {"1024", 1024},      {"1099511627776", 1'099'511'627'776},
    };
    for (const auto& [text, expected] : cases) EXPECT_EQ(parse_size(text), expected) << text;
}

TEST(Size, RefusesEverythingElse) {
    for (const char* text :
         {"", "1MB", "1mb", "1 MiB", "1.5MiB", "-1", "0x10", "010", "MiB", "1M", "1e3", "1_000"}) {
        const auto parsed = parse_size(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_TRUE(parsed.error().starts_with("must be a size such as 64KiB")) << parsed.error();
    }
    for (const char* text : {"1025GiB", "99999999999999999999999", "9223372036854775807KiB"}) {
        EXPECT_EQ(parse_size(text).error(), "must be at most 1024GiB") << text;
    }
}

TEST(Decimal, IsDigitsWithoutALeadingZero) {
    EXPECT_EQ(parse_decimal("0"), 0);
    EXPECT_EQ(parse_decimal("1000"), 1000);
    EXPECT_EQ(parse_decimal("99999999999999999999"), kHugeNumber);
    for (const char* text : {"", "010", "00", "08", "0x10", "0o17", "1_000", "1e3", "+5", "-5",
                             "5.0", " 5", "5 ", "five", "٥"}) {
        EXPECT_FALSE(parse_decimal(text)) << text;
    }
}

TEST(DecimalFraction, IsADecimalNumberWithMaybeAPoint) {
    EXPECT_EQ(parse_decimal_fraction("2"), 2.0);
    EXPECT_EQ(parse_decimal_fraction("1.5"), 1.5);
    EXPECT_EQ(parse_decimal_fraction("0.25"), 0.25);
    for (const char* text : {"", ".5", "1.", "1.5.2", "01.5", "1e3", "1.5e3", ".inf", "inf", ".nan",
                             "nan", "+1.5", "-1.5", "0x1p3", "1,5"}) {
        EXPECT_FALSE(parse_decimal_fraction(text)) << text;
    }
    EXPECT_FALSE(parse_decimal_fraction(std::string(400, '9'))) << "larger than any double";
}

}  // namespace
}  // namespace jobhost::config
