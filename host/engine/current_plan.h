#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "host/engine/plan.h"

namespace jobhost {

/// The plan in force, which an operator may replace while the node works. Whoever works by it takes
/// it anew for each thing that they do; a run keeps the one that it was claimed with. Thread-safe.
class CurrentPlan {
public:
    explicit CurrentPlan(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

    std::shared_ptr<const Plan> get() const {
        const std::lock_guard lock(mutex_);
        return plan_;
    }

    void set(std::shared_ptr<const Plan> plan) {
        const std::lock_guard lock(mutex_);
        plan_.swap(plan);
    }

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const Plan> plan_;  // guarded by mutex_, never null
};

}  // namespace jobhost
