#include "host/engine/retry_delay.h"

#include <climits>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/fake_random.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

Duration least(const Curve& curve, int attempts_made) {
    FakeRandom random(0);
    return draw_delay(curve, attempts_made, random);
}

Duration most(const Curve& curve, int attempts_made) {
    FakeRandom random(1);
    return draw_delay(curve, attempts_made, random);
}

Curve exponential(Duration initial, double multiplier, std::optional<Duration> max = {}) {
    return {CurveKind::kExponential, initial, multiplier, max, {}};
}

TEST(BuiltInCurve, Draws16To74SecondsAfterTheFirstFailure) {
    EXPECT_EQ(least({}, 1), 16s);
    EXPECT_EQ(most({}, 1), 74s);
}

TEST(BuiltInCurve, DrawsFourAndAHalfToSevenMinutesAfterTheFourth) {
    EXPECT_EQ(least({}, 4), 271s);
    EXPECT_EQ(most({}, 4), 416s);
}

TEST(BuiltInCurve, IsTheFormulaForEveryStep) {
    for (int n = 1; n <= 25; ++n) {
        for (int step = 0; step <= 29; ++step) {
            FakeRandom random((step + 0.5) / 30);
            EXPECT_EQ(draw_delay({}, n, random),
                      std::chrono::seconds(n * n * n * n + 15 + step * (n + 1)))
                << "n " << n << " step " << step;
        }
    }
}

TEST(ExponentialCurve, GrowsByTheMultiplierWithinTenPercent) {
    const Curve curve = exponential(30s, 2.0);

    EXPECT_EQ(least(curve, 1), 27s);
    EXPECT_EQ(most(curve, 1), 33s);
    EXPECT_EQ(least(curve, 2), 54s);
    EXPECT_EQ(most(curve, 2), 66s);
    EXPECT_EQ(least(curve, 5), 432s);
    EXPECT_EQ(most(curve, 5), 528s);
}

TEST(ExponentialCurve, FromTheCapOnIsDrawnBelowItAndNeverPilesUpOnIt) {
    const Curve curve = exponential(30s, 2.0, 1min);

    for (const int attempts : {2, 3, 100, INT_MAX}) {
        EXPECT_EQ(least(curve, attempts), 54s) << attempts;
        EXPECT_EQ(most(curve, attempts), 1min) << attempts;
        FakeRandom middle(0.5);
        EXPECT_NEAR(static_cast<double>(draw_delay(curve, attempts, middle).count()), 57e6, 2)
            << attempts;
    }
}

TEST(ExponentialCurve, JustBelowTheCapNeverExceedsIt) {
    const Curve curve = exponential(59s, 1.0, 1min);

    EXPECT_EQ(least(curve, 1), 53'100ms);
    EXPECT_EQ(most(curve, 1), 1min);
}

TEST(ExponentialCurve, ShrinksWithAMultiplierBelowOne) {
    const Curve curve = exponential(8s, 0.5);

    EXPECT_EQ(least(curve, 4), 900ms);
    EXPECT_EQ(most(curve, INT_MAX), 0s);
}

TEST(ExponentialCurve, ReachesTheCapWhateverThePowerOnTheWay) {
    const Curve curve = exponential(1s, 100, 5s);

    for (int attempts = 2; attempts <= 500; ++attempts) {
        EXPECT_EQ(least(curve, attempts), 4500ms) << attempts;
        EXPECT_EQ(most(curve, attempts), 5s) << attempts;
    }
}

TEST(RetryDelay, IsFiniteAndSaturatesAtAYearForEveryCurveAndAttempt) {
    const std::vector<Curve> curves = {
        {},
        exponential(0s, 2.0),
        exponential(1us, 1.0),
        exponential(1s, 2.0),
        exponential(30s, 2.0, 1h),
        exponential(1s, 1e308),
        exponential(1s, 0),
        exponential(1s, -1),
        exponential(1s, HUGE_VAL),
        exponential(1s, NAN),
        exponential(Duration::max(), 2.0),
        exponential(Duration::max(), 1e308, Duration::max()),
        exponential(Duration::min(), 2.0),
        exponential(1s, 2.0, 0s),
        {CurveKind::kFunction, {}, 2.0, {}, "slow"},
    };

    for (std::size_t i = 0; i < curves.size(); ++i) {
        for (const int attempts : {INT_MIN, 0, 1, 10, 64, 310, 1100, 65536, INT_MAX}) {
            for (const double unit : {0.0, 0.5, 1.0}) {
                FakeRandom random(unit);
                const Duration delay = draw_delay(curves[i], attempts, random);
                EXPECT_GE(delay, 0s) << "curve " << i << ", attempts " << attempts;
                EXPECT_LE(delay, 24h * 365) << "curve " << i << ", attempts " << attempts;
            }
        }
    }
}

TEST(RetryDelay, SaturatesAtExactlyAYearWhenNothingCapsIt) {
    for (const int attempts : {310, 1100, 65536, INT_MAX}) {
        EXPECT_EQ(least({}, attempts), 24h * 365) << attempts;
        EXPECT_EQ(least(exponential(1s, 2.0), attempts), 24h * 365) << attempts;
        EXPECT_EQ(most(exponential(1s, 2.0), attempts), 24h * 365) << attempts;
    }
}

TEST(DelayRange, IsWhatTheDrawsReach) {
    const std::vector<Curve> curves = {{}, exponential(30s, 2.0), exponential(30s, 2.0, 1min)};

    for (const Curve& curve : curves) {
        for (const int attempts : {1, 2, 4, 10, 64, 310, 1100, INT_MAX}) {
            const DelayRange range = delay_range(curve, attempts);
            EXPECT_EQ(range.least, least(curve, attempts)) << attempts;
            EXPECT_EQ(range.most, most(curve, attempts)) << attempts;
        }
    }
}

TEST(SystemRandom, ReachesBothHalvesOfItsRange) {
    SystemRandom random;
    bool low = false;
    bool high = false;

    for (int i = 0; i < 1000; ++i) {
        const double unit = random.unit();
        ASSERT_GE(unit, 0.0);
        ASSERT_LE(unit, 1.0);
        (unit < 0.5 ? low : high) = true;
    }

    EXPECT_TRUE(low && high);
}

}  // namespace
}  // namespace jobhost
