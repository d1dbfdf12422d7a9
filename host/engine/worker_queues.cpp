#include "host/engine/worker_queues.h"

#include <algorithm>

namespace jobhost {

std::vector<WorkerQueue*> WorkerQueues::follow(const Plan& plan) {
    const std::lock_guard lock(mutex_);
    std::vector<WorkerQueue*> named;
    for (const QueuePlan& queue : plan.queues) named.push_back(&queue_named(queue));
    for (const auto& queue : queues_) {
        if (std::ranges::find(named, queue.get()) == named.end()) queue->set_workers(0);
    }
    return named;
}

WorkerQueue& WorkerQueues::queue_named(const QueuePlan& plan) {
    const auto found = std::ranges::find_if(
        queues_, [&](const auto& queue) { return queue->name() == plan.name; });
    if (found != queues_.end()) {
        (*found)->set_workers(plan.workers);
        return **found;
    }
    queues_.push_back(
        std::make_unique<WorkerQueue>(plan.name, plan.workers, executor_, watchdog_, services_));
    return *queues_.back();
}

bool WorkerQueues::is_running() const {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(queues_, [](const auto& queue) { return queue->is_running(); });
}

void WorkerQueues::release_threads() {
    const std::lock_guard lock(mutex_);
    for (const auto& queue : queues_) queue->release_threads();
}

}  // namespace jobhost
