#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "host/engine/plan.h"
#include "host/engine/worker_queue.h"

namespace jobhost {

/// The worker queues of a node, as many as its plans ever named: one that a plan leaves out loses
/// its workers as they become free, and gets some again should a later plan name it. Thread-safe.
class WorkerQueues {
public:
    /// All references outlive it.
    WorkerQueues(Executor& executor, Watchdog& watchdog, const RunServices& services)
        : executor_(executor), watchdog_(watchdog), services_(services) {}

    /// The queues of the plan, in its order, with the workers that it says. They live as long as
    /// this object.
    std::vector<WorkerQueue*> follow(const Plan& plan);

    /// Some worker is in a job's code.
    bool is_running() const;

    /// For a process that ends by _exit: leaves threads alone whose code does not return.
    void release_threads();

private:
    WorkerQueue& queue_named(const QueuePlan& plan);

    Executor& executor_;
    Watchdog& watchdog_;
    const RunServices& services_;
    mutable std::mutex mutex_;
    std::vector<std::unique_ptr<WorkerQueue>> queues_ = {};  // guarded by mutex_
};

}  // namespace jobhost
