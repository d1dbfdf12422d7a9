#pragma once

#include "host/engine/decide.h"
#include "host/engine/job_events.h"
#include "host/engine/job_types.h"
#include "host/engine/random.h"
#include "host/engine/watchdog.h"

namespace jobhost {

/// Draws the delay of one run's retry: from the curve, or from the plugin's function, whose
/// nonsense (thrown, negative, slow) is reported and replaced by the built-in curve. One that does
/// not return holds the thread; with a `place` the watchdog says so.
class DelayDrawer final : public DelaySource {
public:
    DelayDrawer(const JobTypes& types, Random& random, const Clock& clock, JobEvents& events,
                const RunRef& run, int max_attempts, Watchdog::Place* place = nullptr)
        : types_(types),
          random_(random),
          clock_(clock),
          events_(events),
          run_(run),
          max_attempts_(max_attempts),
          place_(place) {}

    Duration next(const Rules& rules, int attempts_made, const ThrownError& why) override;

private:
    Duration from_function(const LoadedDelay& function, int attempts_made, const ThrownError& why);

    const JobTypes& types_;
    Random& random_;
    const Clock& clock_;
    JobEvents& events_;
    const RunRef& run_;
    const int max_attempts_;
    Watchdog::Place* const place_;  // of this thread, or nullptr
};

}  // namespace jobhost
