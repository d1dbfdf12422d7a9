#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "host/observe/histogram.h"
#include "storage/clock.h"

namespace jobhost {

/// How long the jobs that this node ran in one minute waited and ran, in seconds.
struct MinuteLatency {
    TimePoint minute = {};
    std::int64_t runs = 0;
    double wait_p50 = 0;
    double wait_p95 = 0;
    double run_p50 = 0;
    double run_p95 = 0;
};

/// The last hour, minute by minute, out of histograms that only grow. Thread-safe.
class LatencyMinutes {
public:
    LatencyMinutes(const Histogram& waits, const Histogram& runs);

    /// Looks at the histograms. Call at least once in a minute: what came between two calls counts
    /// for the minute of the later one.
    void look(TimePoint now);

    /// Oldest first, only minutes in which jobs ran.
    std::vector<MinuteLatency> minutes() const;

private:
    const Histogram& waits_;
    const Histogram& runs_;
    mutable std::mutex mutex_;
    // Guarded by mutex_:
    TimePoint minute_ = {};
    Histogram::Counted waits_before_;  // at the begin of the minute
    Histogram::Counted runs_before_;
    std::deque<MinuteLatency> minutes_;
};

/// The size that `share` (0 to 1) of what came since `before` does not exceed, in a straight line
/// within its step, as Prometheus' histogram_quantile does; above the last step that step. 0 when
/// nothing came.
double quantile(const Histogram::Counted& now, const Histogram::Counted& before,
                const std::vector<std::int64_t>& steps, double share);

}  // namespace jobhost
