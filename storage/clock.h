#pragma once

#include <chrono>

namespace jobhost {

/// Resolution of every stored time and of every duration in the host.
using Duration = std::chrono::microseconds;

/// Wall-clock time in UTC, as stored.
using TimePoint = std::chrono::time_point<std::chrono::system_clock, Duration>;

/// Time for waiting and for measuring silence: never steps.
using SteadyPoint = std::chrono::steady_clock::time_point;

/// Both clocks, injected, so that tests move time by hand. Thread-safe.
class Clock {
public:
    virtual ~Clock() = default;
    virtual TimePoint now() const = 0;
    virtual SteadyPoint steady_now() const = 0;
};

/// The machine's clocks. The only place that reads them.
class SystemClock final : public Clock {
public:
    TimePoint now() const override {
        return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
    }
    SteadyPoint steady_now() const override { return std::chrono::steady_clock::now(); }
};

}  // namespace jobhost
