#pragma once

#include <memory>

#include "host/engine/job_types.h"
#include "host/engine/random.h"
#include "host/engine/run.h"

namespace jobhost {

/// Runs one claimed job on the calling worker and decides what comes next. Never throws.
class Executor {
public:
    Executor(const JobTypes& types, Random& random, const RunServices& services)
        : types_(types), random_(random), services_(services) {}

    /// The outcome, for the store; nullopt: there is nothing to store (the lease was lost, or the
    /// node gave the run up).
    std::optional<PendingWrite> execute(const std::shared_ptr<Run>& run, Watchdog::Place& place);

    /// The outcome of a run that ended, or was given up. `place`: of the calling worker, if any.
    PendingWrite outcome(const std::shared_ptr<Run>& run, const RunEnd& end,
                         Watchdog::Place* place = nullptr);

    /// The outcome of a run that is not to be started; nullopt: it may be started.
    std::optional<PendingWrite> before_start(const std::shared_ptr<Run>& run);

private:
    const JobTypes& types_;
    Random& random_;
    const RunServices& services_;
};

}  // namespace jobhost
