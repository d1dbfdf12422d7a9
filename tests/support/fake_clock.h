#pragma once

#include <mutex>

#include "storage/clock.h"

namespace jobhost {

/// Both clocks, moved by hand. The steady one starts far ahead of the machine's, so that code that
/// waits until a time of this clock sleeps until it is woken instead of spinning. Thread-safe.
class FakeClock final : public Clock {
public:
    TimePoint now() const override {
        const std::lock_guard lock(mutex_);
        return wall_;
    }
    SteadyPoint steady_now() const override {
        const std::lock_guard lock(mutex_);
        return steady_;
    }

    /// Time passes.
    void advance(Duration by) {
        const std::lock_guard lock(mutex_);
        wall_ += by;
        steady_ += by;
    }

    /// Somebody sets the machine's clock: no time passes.
    void step_wall(Duration by) {
        const std::lock_guard lock(mutex_);
        wall_ += by;
    }

private:
    mutable std::mutex mutex_;
    TimePoint wall_ = TimePoint(std::chrono::hours(24 * 365 * 56));
    SteadyPoint steady_ = std::chrono::steady_clock::now() + std::chrono::hours(10'000);
};

}  // namespace jobhost
