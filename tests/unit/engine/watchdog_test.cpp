#include "host/engine/watchdog.h"

#include <condition_variable>
#include <mutex>

#include <gtest/gtest.h>

#include "tests/support/fake_clock.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

/// Counts the looks and is due again `every` after each.
class Looks final : public Watched {
public:
    explicit Looks(Duration every = 1h) : every_(every) {}

    SteadyPoint check(SteadyPoint now) override {
        const std::lock_guard lock(mutex_);
        times_.push_back(now);
        changed_.notify_all();
        return now + every_;
    }

    bool wait(std::size_t count) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, 20s, [&] { return times_.size() >= count; });
    }

    std::vector<SteadyPoint> times() {
        const std::lock_guard lock(mutex_);
        return times_;
    }

private:
    const Duration every_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<SteadyPoint> times_;
};

class WatchdogTest : public testing::Test {
protected:
    /// Something that is due at once makes the thread look at all that is due now.
    void look_at_what_is_due() {
        const auto due = std::make_shared<Looks>();
        watchdog.take_place().enter(due, SteadyPoint::min());
        ASSERT_TRUE(due->wait(1));
    }

    FakeClock clock;
    Watchdog watchdog{clock};
};

TEST_F(WatchdogTest, LooksWhenTheFirstLookIsDueAndNotBefore) {
    const auto watched = std::make_shared<Looks>();
    const SteadyPoint due = clock.steady_now() + 10s;
    watchdog.take_place().enter(watched, due);

    clock.advance(9'999'999us);
    look_at_what_is_due();
    EXPECT_TRUE(watched->times().empty());

    clock.advance(1us);
    look_at_what_is_due();
    ASSERT_TRUE(watched->wait(1));
    EXPECT_EQ(watched->times()[0], due);
}

TEST_F(WatchdogTest, LooksAgainWhenTheLastLookSaidSo) {
    const auto watched = std::make_shared<Looks>(5s);
    watchdog.take_place().enter(watched, clock.steady_now());
    ASSERT_TRUE(watched->wait(1));

    clock.advance(4s);
    look_at_what_is_due();
    EXPECT_EQ(watched->times().size(), 1U);

    clock.advance(1s);
    look_at_what_is_due();
    EXPECT_TRUE(watched->wait(2));
}

TEST_F(WatchdogTest, WhatHasLeftIsNotLookedAtAnyMore) {
    const auto watched = std::make_shared<Looks>();
    Watchdog::Place& place = watchdog.take_place();
    place.enter(watched, clock.steady_now() + 1s);

    place.leave();
    clock.advance(1h);
    look_at_what_is_due();

    EXPECT_TRUE(watched->times().empty());
    EXPECT_EQ(watched.use_count(), 1) << "it is let go of";
}

TEST_F(WatchdogTest, APlaceIsUsedAgainForTheNextRun) {
    const auto first = std::make_shared<Looks>();
    const auto second = std::make_shared<Looks>();
    Watchdog::Place& place = watchdog.take_place();
    place.enter(first, clock.steady_now() + 1s);
    place.leave();

    place.enter(second, clock.steady_now() + 2s);
    clock.advance(2s);
    look_at_what_is_due();

    EXPECT_TRUE(second->wait(1));
    EXPECT_TRUE(first->times().empty());
}

TEST_F(WatchdogTest, LookNowLooksAtEverythingHoweverFarOffItsTime) {
    const auto first = std::make_shared<Looks>();
    const auto second = std::make_shared<Looks>();
    watchdog.take_place().enter(first, clock.steady_now() + 100h);
    watchdog.take_place().enter(second, SteadyPoint::max());

    watchdog.look_now();

    EXPECT_TRUE(first->wait(1));
    EXPECT_TRUE(second->wait(1));
}

TEST(Watchdog, EndsAtOnceWhileItWaitsForALateLook) {
    FakeClock clock;
    const auto watched = std::make_shared<Looks>();
    {
        Watchdog watchdog(clock);
        watchdog.take_place().enter(watched, clock.steady_now() + 100h);
    }

    EXPECT_TRUE(watched->times().empty());
}

}  // namespace
}  // namespace jobhost
