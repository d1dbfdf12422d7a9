#include "host/observe/counters.h"

namespace jobhost {
namespace {

constexpr std::array<std::string_view, kCounts> kNames = {
    "jobhost_jobs_started_total",
    "jobhost_jobs_succeeded_total",
    "jobhost_jobs_retried_total",
    "jobhost_jobs_snoozed_total",
    "jobhost_jobs_released_total",
    "jobhost_jobs_cancelled_total",
    "jobhost_jobs_expired_total",
    "jobhost_jobs_failed_total",
    "jobhost_jobs_timed_out_total",
    "jobhost_jobs_cancellation_ignored_total",
    "jobhost_jobs_late_success_total",
    "jobhost_jobs_lease_lost_total",
    "jobhost_writes_refused_total",
    "jobhost_bad_delays_total",
    "jobhost_dead_letter_handled_total",
    "jobhost_dead_letter_handler_failed_total",
    "jobhost_node_lost_total",
    "jobhost_nodes_declared_dead_total",
    "jobhost_heartbeats_late_total",
    "jobhost_orphans_requeued_total",
    "jobhost_orphans_failed_total",
    "jobhost_leases_given_back_total",
    "jobhost_storage_down_total",
    "jobhost_batches_total",
    "jobhost_writes_total",
    "jobhost_jobs_claimed_total",
    "jobhost_jobs_purged_total",
};

}  // namespace

std::string_view metric_name(Count count) {
    return kNames.at(static_cast<std::size_t>(count));
}

std::int64_t Counters::value(Count count) const {
    return counts_.at(static_cast<std::size_t>(count)).load(std::memory_order_relaxed);
}

std::map<std::string, ForwarderCounts, std::less<>> Counters::forwarders() const {
    const std::lock_guard lock(mutex_);
    return forwarders_;
}

void Counters::dead_letter_finished(const OwedRun& run, DeadLetterState state, std::string_view) {
    if (state == DeadLetterState::kNotApplicable) return;
    const bool well = state == DeadLetterState::kSucceeded;
    if (run.kind == DeadLetterKind::kHandler) {
        add(well ? Count::kDeadLetterHandled : Count::kDeadLetterHandlerFailed);
        return;
    }
    const std::lock_guard lock(mutex_);
    ForwarderCounts& counts = forwarders_[run.name];
    ++(well ? counts.forwarded : counts.failed);
}

void Counters::batch_stored(std::size_t writes, std::size_t claimed, Duration) {
    add(Count::kBatch);
    add(Count::kWrite, static_cast<std::int64_t>(writes));
    add(Count::kClaimed, static_cast<std::int64_t>(claimed));
}

void Counters::add(Count count, std::int64_t by) {
    counts_[static_cast<std::size_t>(count)].fetch_add(by, std::memory_order_relaxed);
}

}  // namespace jobhost
