// How the store thread lets go of jobs: what has not started, what nobody knows, what was lost, and
// everything at the stop.
#include "host/engine/dispatcher.h"
#include "storage/overloaded.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

constexpr auto kLastExchange = 2s;  // for the one that goes on when the node ends

}  // namespace

// ---- giving back

void Dispatcher::give_back_stale(SteadyPoint now) {
    for (const auto& queue : queues_) {
        for (auto& run : queue->take_back_prefetched(now - kGiveBackAfter)) {
            if (run->give_up())
                services_.writes.push({.write = run->report(Release{}), .run = run});
        }
    }
}

void Dispatcher::give_back_unstarted() {
    for (const auto& queue : queues_) {
        for (auto& run : queue->take_back()) {
            auto write = executor_.before_start(run);
            if (!write && run->give_up()) write = {.write = run->report(Release{}), .run = run};
            if (write) services_.writes.push(*std::move(write));
        }
    }
}

/// Rows that name this node but that it does not know: a claim whose answer was lost.
void Dispatcher::give_back_unknown() {
    next_check_ = services_.clock.steady_now() + kCheckLeasesEvery;
    try {
        int unknown = 0;
        for (const Lease& lease : session_->leases_of(node_)) {
            const auto active = active_.find(lease.job);
            if (active != active_.end() && active->second->fence() == lease.fence) continue;
            RunReport report;
            report.lease = lease;
            report.next = Release{};
            services_.writes.push({.write = std::move(report)});
            ++unknown;
        }
        if (unknown > 0) services_.events.leases_given_back(unknown);
    } catch (const StorageError& error) {
        exchange_failed(std::move(kept_), error);
    }
}

/// Others declared this node dead: whatever it held belongs to somebody else.
void Dispatcher::drop_lost_leases() {
    for (const auto& queue : queues_) queue->take_back();
    for (const auto& [job, run] : active_) run->request_stop(StopCause::kLeaseLost);
    const auto dropped = static_cast<int>(active_.size());
    active_.clear();
    services_.events.node_lost(node_, dropped);
    node_ = membership_.node();
    all_hungry();
    drop_dead_writes(kept_);
}

void Dispatcher::drop_dead_writes(Batch& batch) {
    const WriteAnswer lost{.outcome = WriteAnswer::Outcome::kLeaseLost};
    std::erase_if(batch, [&](PendingWrite& pending) {
        const Lease* lease =
            std::visit(Overloaded{
                           [](const RunReport& report) { return &report.lease; },
                           [](const RunNote& note) { return &note.lease; },
                           [](const SaveCheckpoint& checkpoint) { return &checkpoint.lease; },
                           [](const auto&) { return static_cast<const Lease*>(nullptr); },
                       },
                       pending.write);
        if (lease == nullptr || lease->node == node_) return false;
        if (pending.run) services_.events.lease_lost(pending.run->ref());
        if (pending.answered) pending.answered(lost);
        return true;
    });
}

// ---- the stop

void Dispatcher::enter_phase(Phase phase) {
    phase_ = phase;
    give_back_unstarted();
    if (phase == Phase::kAsked) {
        for (const auto& [job, run] : active_) run->request_stop(StopCause::kShutdown);
    }
    if (phase == Phase::kGivenUp || phase == Phase::kEnding) {
        for (const auto& [job, run] : active_) {
            run->request_stop(StopCause::kShutdown);
            const auto end = run->give_up();
            if (end) services_.writes.push(executor_.outcome(run, *end));
        }
    }
}

void Dispatcher::stop_claiming() {
    wanted_phase_.store(Phase::kDraining);
    services_.writes.wake();
}

void Dispatcher::ask_to_stop() {
    wanted_phase_.store(Phase::kAsked);
    services_.writes.wake();
}

void Dispatcher::give_up_runs() {
    wanted_phase_.store(Phase::kGivenUp);
    services_.writes.wake();
}

bool Dispatcher::flush_and_end(SteadyPoint until) {
    wait_idle(until);
    const bool flushed = is_idle();
    wanted_phase_.store(Phase::kEnding);
    services_.writes.wake();
    std::unique_lock lock(mutex_);
    const bool ended = idle_changed_.wait_until(lock, services_.clock.steady_now() + kLastExchange,
                                                [this] { return ended_; });
    return ended && flushed;
}

}  // namespace jobhost
