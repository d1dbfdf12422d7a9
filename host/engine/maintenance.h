#pragma once

#include <memory>
#include <stop_token>

#include "host/engine/current_plan.h"
#include "host/engine/job_events.h"
#include "storage/store.h"

namespace jobhost {

/// Expires jobs that missed their deadline and purges ended ones, in small batches. Pauses for as
/// long as the wall clock ran ahead of the steady clock by more than 10 minutes since the last
/// round: a clock that jumped must not throw away a week of jobs. Used by one thread.
class Maintenance {
public:
    Maintenance(const CurrentPlan& plans, std::unique_ptr<Store> session, const Clock& clock,
                JobEvents& events);

    /// One round; ends early when `stop` is requested. Throws StorageError.
    void tick(const std::stop_token& stop);

private:
    bool clock_jumped();

    const CurrentPlan& plans_;
    const std::unique_ptr<Store> session_;
    const Clock& clock_;
    JobEvents& events_;
    TimePoint wall_ = {};
    SteadyPoint steady_ = {};
    SteadyPoint next_purge_ = {};
    bool paused_ = false;
};

}  // namespace jobhost
