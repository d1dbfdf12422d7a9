#include "host/engine/delay_drawer.h"

#include <gtest/gtest.h>

#include "tests/support/fake_clock.h"
#include "tests/support/fake_random.h"
#include "tests/support/recording_events.h"
#include "tests/support/scripted_types.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

/// With random numbers at their least the built-in curve answers 16 s after the first attempt.
constexpr Duration kBuiltIn = 16s;

class DelayDrawerTest : public testing::Test {
protected:
    Duration draw(const RetryLevel& retry, int attempts_made = 1) {
        PolicyLevel level;
        level.retry = retry;
        const RunRef run{.job = 42, .type = "mail.send", .queue = "default"};
        return DelayDrawer(types, random, clock, events, run, 5)
            .next(merge({level}), attempts_made, thrown("Down"));
    }

    Duration answer(DelayAnswer given) {
        types.delays.clear();
        add_delay(types, "slow", [&](const DelayQuestion&) { return given; });
        return draw({.delay = "slow"});
    }

    JobTypes types;
    FakeRandom random{0};
    FakeClock clock;
    RecordingEvents events;
};

TEST_F(DelayDrawerTest, DrawsFromTheCurveOfTheRules) {
    EXPECT_EQ(draw({}), kBuiltIn);
    EXPECT_EQ(draw({.initial_delay = 30s}), 27s);
    EXPECT_EQ(events.count("bad_delay"), 0U);
}

TEST_F(DelayDrawerTest, AsksThePluginsFunctionAndTellsItAllItNeeds) {
    DelayQuestion asked;
    std::string error;
    add_delay(types, "slow", [&](const DelayQuestion& question) -> DelayAnswer {
        asked = question;
        error = question.error->error.type;
        return Duration(3s);
    });

    EXPECT_EQ(draw({.delay = "slow"}, 4), 3s);

    EXPECT_EQ(asked.job, 42);
    EXPECT_EQ(asked.type, "mail.send");
    EXPECT_EQ(asked.queue, "default");
    EXPECT_EQ(asked.attempts_made, 4);
    EXPECT_EQ(asked.max_attempts, 5);
    EXPECT_EQ(asked.default_delay, 271s);
    EXPECT_EQ(error, "Down");
    EXPECT_EQ(events.count("bad_delay"), 0U);
}

TEST_F(DelayDrawerTest, AnswersOfZeroAndAYearAreTakenAsTheyAre) {
    EXPECT_EQ(answer(Duration(0)), 0s);
    EXPECT_EQ(answer(Duration(24h * 365)), 24h * 365);
    EXPECT_EQ(events.count("bad_delay"), 0U);
}

TEST_F(DelayDrawerTest, LongerThanAYearSaturates) {
    EXPECT_EQ(answer(Duration::max()), 24h * 365);
}

TEST_F(DelayDrawerTest, AsThePolicySaysIsTheBuiltInCurveWithoutAWarning) {
    EXPECT_EQ(answer(PolicyDelay{}), kBuiltIn);
    EXPECT_EQ(events.count("bad_delay"), 0U);
}

TEST_F(DelayDrawerTest, ThrownErrorFallsBackToTheBuiltInCurveWithAWarning) {
    EXPECT_EQ(answer(BadDelay{"threw std::bad_alloc"}), kBuiltIn);

    EXPECT_EQ(events.count("bad_delay"), 1U);
    EXPECT_EQ(events.last("bad_delay").text, "slow");
    EXPECT_EQ(events.last("bad_delay").more, "threw std::bad_alloc");
    EXPECT_EQ(events.last("bad_delay").job, 42);
}

TEST_F(DelayDrawerTest, NegativeAnswerFallsBackToTheBuiltInCurveWithAWarning) {
    EXPECT_EQ(answer(Duration(-1)), kBuiltIn);
    EXPECT_EQ(answer(Duration::min()), kBuiltIn);

    EXPECT_EQ(events.count("bad_delay"), 2U);
}

TEST_F(DelayDrawerTest, FunctionThatNobodyExportsFallsBackWithAWarning) {
    EXPECT_EQ(draw({.delay = "gone"}), kBuiltIn);

    EXPECT_EQ(events.count("bad_delay"), 1U);
    EXPECT_EQ(events.last("bad_delay").text, "gone");
}

TEST_F(DelayDrawerTest, OverAHundredMillisecondsIsWarnedAboutAndStillTaken) {
    Duration takes = 100ms;
    add_delay(types, "slow", [&](const DelayQuestion&) -> DelayAnswer {
        clock.advance(takes);
        return Duration(3s);
    });

    EXPECT_EQ(draw({.delay = "slow"}), 3s);
    EXPECT_EQ(events.count("bad_delay"), 0U);
    takes = 100ms + 1us;
    EXPECT_EQ(draw({.delay = "slow"}), 3s);
    EXPECT_EQ(events.count("bad_delay"), 1U);
}

TEST_F(DelayDrawerTest, OneThatDoesNotReturnIsSaidToHoldItsWorkerWhileItDoes) {
    Watchdog watchdog(clock);
    add_delay(types, "stuck", [&](const DelayQuestion&) -> DelayAnswer {
        clock.advance(10s);
        watchdog.look_now();
        EXPECT_TRUE(events.wait("bad_delay"));
        return Duration(3s);
    });
    PolicyLevel level;
    level.retry.delay = "stuck";
    const RunRef run{.job = 42, .type = "mail.send", .queue = "default"};
    DelayDrawer delays(types, random, clock, events, run, 5, &watchdog.take_place());

    EXPECT_EQ(delays.next(merge({level}), 1, thrown("Down")), 3s);

    EXPECT_EQ(events.all("bad_delay").front().more,
              "has not returned for 10 s and still holds its worker slot");
}

}  // namespace
}  // namespace jobhost
