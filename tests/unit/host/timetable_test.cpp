#include "host/timetable.h"

#include <gtest/gtest.h>

namespace jobhost {
namespace {

using namespace std::chrono_literals;

TEST(Timetable, AddsUpTheBuiltInCurve) {
    const Timetable table = retry_timetable({.max_attempts = {3}}, 50);

    ASSERT_EQ(table.rows.size(), 2u);
    EXPECT_EQ(table.rows[0].attempt, 2);
    EXPECT_EQ(table.rows[0].least, Duration(16s));
    EXPECT_EQ(table.rows[0].most, Duration(74s));
    EXPECT_EQ(table.rows[1].elapsed_least, Duration(16s + 31s));
    EXPECT_EQ(table.rows[1].elapsed_most, Duration(74s + 118s));
    EXPECT_FALSE(table.cut);
}

TEST(Timetable, OfOneAttemptIsEmpty) {
    EXPECT_TRUE(retry_timetable({.max_attempts = {1}}, 50).rows.empty());
}

TEST(Timetable, IsCutAtItsLimit) {
    const Timetable table = retry_timetable({.max_attempts = {1'000'000}}, 50);

    EXPECT_EQ(table.rows.size(), 50u);
    EXPECT_TRUE(table.cut);
}

TEST(Timetable, EndsWhereRetryForDoes) {
    const Timetable table =
        retry_timetable({.max_attempts = {10}, .retry_for = {Duration(40s), "test"}}, 50);

    EXPECT_EQ(table.rows.size(), 1u);
    EXPECT_TRUE(table.ended_by_retry_for);
}

}  // namespace
}  // namespace jobhost
