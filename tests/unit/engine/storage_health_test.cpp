#include "host/engine/storage_health.h"

#include <gtest/gtest.h>

#include "host/engine/periodic_task.h"
#include "storage/storage_error.h"
#include "tests/support/recording_events.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

TEST(StorageHealth, SaysTheFirstThatFindsTheStoreAwayAndTheLastThatIsServedAgain) {
    RecordingEvents events;
    StorageHealth health(events);

    health.down("store", "locked");
    health.down("heartbeat", "locked too");
    health.down("store", "still locked");
    health.up("store");
    EXPECT_EQ(events.count("storage_up"), 0U);
    health.up("heartbeat");

    EXPECT_EQ(events.count("storage_down"), 1U);
    EXPECT_EQ(events.last("storage_down").text, "store");
    EXPECT_EQ(events.last("storage_down").more, "locked");
    EXPECT_EQ(events.count("storage_up"), 1U);
    EXPECT_EQ(events.last("storage_up").text, "heartbeat");
}

TEST(StorageHealth, SaysNothingWhileAllIsWell) {
    RecordingEvents events;
    StorageHealth health(events);

    health.up("store");
    health.up("heartbeat");

    EXPECT_EQ(events.count("storage_up"), 0U);
}

TEST(StorageHealth, SaysASecondOutageAgain) {
    RecordingEvents events;
    StorageHealth health(events);

    health.down("store", "locked");
    health.up("store");
    health.down("store", "full");
    health.up("store");

    EXPECT_EQ(events.count("storage_down"), 2U);
    EXPECT_EQ(events.count("storage_up"), 2U);
}

/// Counts its ticks and lets a test wait for them; while `broken` the store is away.
class Ticks {
public:
    void tick() {
        const std::lock_guard lock(mutex_);
        ++count_;
        changed_.notify_all();
        if (broken_) throw StorageError(StorageError::Kind::kBusy, "locked");
    }
    bool wait(int count) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, 20s, [&] { return count_ >= count; });
    }
    void set_broken(bool broken) {
        const std::lock_guard lock(mutex_);
        broken_ = broken;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int count_ = 0;
    bool broken_ = false;
};

TEST(PeriodicTask, TicksAtOnceAndThenWhenWoken) {
    RecordingEvents events;
    StorageHealth health(events);
    Ticks ticks;
    PeriodicTask task("test", 1h, health, [&](const std::stop_token&) { ticks.tick(); });

    ASSERT_TRUE(ticks.wait(1));
    task.wake();

    EXPECT_TRUE(ticks.wait(2));
}

TEST(PeriodicTask, TicksAgainAfterItsInterval) {
    RecordingEvents events;
    StorageHealth health(events);
    Ticks ticks;
    PeriodicTask task("test", 1ms, health, [&](const std::stop_token&) { ticks.tick(); });

    EXPECT_TRUE(ticks.wait(3));
}

TEST(PeriodicTask, OutlivesAStoreThatIsAwayAndSaysEachChangeOnce) {
    RecordingEvents events;
    StorageHealth health(events);
    Ticks ticks;
    ticks.set_broken(true);
    PeriodicTask task("test", 1h, health, [&](const std::stop_token&) { ticks.tick(); });
    ASSERT_TRUE(events.wait("storage_down"));
    task.wake();
    ASSERT_TRUE(ticks.wait(2));

    ticks.set_broken(false);
    task.wake();

    ASSERT_TRUE(events.wait("storage_up"));
    EXPECT_EQ(events.count("storage_down"), 1U);
    EXPECT_EQ(events.count("storage_up"), 1U);
}

TEST(PeriodicTask, StopTellsTheRunningTickAndWaitsForIt) {
    RecordingEvents events;
    StorageHealth health(events);
    Ticks ticks;
    std::atomic<bool> ended = false;
    PeriodicTask task("test", 0s, health, [&](const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any never;
        std::unique_lock lock(mutex);
        ticks.tick();
        never.wait(lock, stop, [] { return false; });
        ended = true;
    });
    ASSERT_TRUE(ticks.wait(1));

    task.stop();

    EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace jobhost
