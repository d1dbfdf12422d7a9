#include "host/observe/latency_minutes.h"

#include <gtest/gtest.h>

namespace jobhost {
namespace {

using namespace std::chrono_literals;

const std::vector<std::int64_t> kSteps = {1000, 2000, 4000};
const TimePoint kMinute = TimePoint(100min);

TEST(Quantile, IsAStraightLineWithinAStep) {
    Histogram sizes(kSteps);
    const auto before = sizes.counted();
    for (int i = 0; i < 10; ++i) sizes.add(1500);

    EXPECT_DOUBLE_EQ(quantile(sizes.counted(), before, kSteps, 0.5), 1500);
    EXPECT_DOUBLE_EQ(quantile(sizes.counted(), before, kSteps, 1.0), 2000);
}

TEST(Quantile, CountsOnlyWhatCameSince) {
    Histogram sizes(kSteps);
    for (int i = 0; i < 100; ++i) sizes.add(1);
    const auto before = sizes.counted();
    EXPECT_EQ(quantile(sizes.counted(), before, kSteps, 0.5), 0);
    sizes.add(3000);
    EXPECT_DOUBLE_EQ(quantile(sizes.counted(), before, kSteps, 0.5), 3000);
}

TEST(Quantile, AboveTheLastStepIsTheLastStep) {
    Histogram sizes(kSteps);
    const auto before = sizes.counted();
    sizes.add(1'000'000);
    EXPECT_DOUBLE_EQ(quantile(sizes.counted(), before, kSteps, 0.5), 4000);
}

TEST(LatencyMinutes, HasOnlyMinutesInWhichJobsRan) {
    Histogram waits(kSteps);
    Histogram runs(kSteps);
    LatencyMinutes latency(waits, runs);
    latency.look(kMinute);
    latency.look(kMinute + 2s);
    EXPECT_TRUE(latency.minutes().empty());

    waits.add(500);
    runs.add(1500);
    latency.look(kMinute + 4s);
    latency.look(kMinute + 60s);
    latency.look(kMinute + 62s);

    const auto minutes = latency.minutes();
    ASSERT_EQ(minutes.size(), 1U);
    EXPECT_EQ(minutes[0].minute, kMinute);
    EXPECT_EQ(minutes[0].runs, 1);
    EXPECT_DOUBLE_EQ(minutes[0].wait_p50, 0.0005);
    EXPECT_DOUBLE_EQ(minutes[0].run_p50, 0.0015);
}

TEST(LatencyMinutes, ForgetsWhatIsOlderThanAnHour) {
    Histogram waits(kSteps);
    Histogram runs(kSteps);
    LatencyMinutes latency(waits, runs);
    for (int i = 0; i < 70; ++i) {
        latency.look(kMinute + i * 1min);
        runs.add(1);
        latency.look(kMinute + i * 1min + 1s);
    }
    ASSERT_EQ(latency.minutes().size(), 60U);
    EXPECT_EQ(latency.minutes().front().minute, kMinute + 10min);
}

}  // namespace
}  // namespace jobhost
