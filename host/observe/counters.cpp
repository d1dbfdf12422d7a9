#include "host/observe/counters.h"

namespace jobhost {
namespace {

struct Name {
    std::string_view metric;
    std::string_view help;
};

constexpr std::array<Name, kCounts> kNames{{
    {"jobhost_jobs_started_total", "Runs that began"},
    {"jobhost_jobs_succeeded_total", "Jobs that succeeded"},
    {"jobhost_jobs_retried_total", "Attempts that failed and are retried"},
    {"jobhost_jobs_snoozed_total", "Runs that asked to run again later"},
    {"jobhost_jobs_released_total", "Runs that were given back without using their attempt"},
    {"jobhost_jobs_cancelled_total", "Jobs that were cancelled"},
    {"jobhost_jobs_expired_total", "Jobs that missed their deadline"},
    {"jobhost_jobs_failed_total", "Jobs that failed for good"},
    {"jobhost_jobs_timed_out_total", "Runs that passed their time limit"},
    {"jobhost_jobs_cancellation_ignored_total",
     "Runs that still held their worker 10 s after they were asked to stop"},
    {"jobhost_jobs_late_success_total", "Runs that returned well after their time limit"},
    {"jobhost_jobs_lease_lost_total",
     "Runs whose result was dropped, since another node answers for the job"},
    {"jobhost_writes_refused_total", "Results that the store will never take"},
    {"jobhost_bad_delays_total", "Delay functions that failed, were slow or answered nonsense"},
    {"jobhost_dead_letter_handled_total", "Dead-letter handlers that succeeded"},
    {"jobhost_dead_letter_handler_failed_total",
     "Dead-letter handlers that threw, timed out or were interrupted"},
    {"jobhost_node_lost_total", "How often other nodes took this one for dead"},
    {"jobhost_nodes_declared_dead_total", "Nodes that this one found dead"},
    {"jobhost_heartbeats_late_total", "Heartbeats of this node that came late"},
    {"jobhost_orphans_requeued_total", "Jobs of dead nodes that run again"},
    {"jobhost_orphans_failed_total", "Jobs of dead nodes that failed"},
    {"jobhost_leases_given_back_total", "Jobs that named this node without its knowledge"},
    {"jobhost_storage_down_total", "How often the store went away"},
    {"jobhost_batches_total", "Transactions of the store thread"},
    {"jobhost_writes_total", "Writes in them"},
    {"jobhost_jobs_claimed_total", "Jobs that were claimed"},
    {"jobhost_jobs_purged_total", "Ended jobs that retention removed"},
}};

/// 1 ms to 1 h.
const std::vector<std::int64_t> kTimes = {1'000,       5'000,         10'000,       50'000,
                                          100'000,     500'000,       1'000'000,    5'000'000,
                                          10'000'000,  30'000'000,    60'000'000,   300'000'000,
                                          600'000'000, 1'800'000'000, 3'600'000'000};
const std::vector<std::int64_t> kSizes = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000};

}  // namespace

Counters::Counters() : waits_(kTimes), runs_(kTimes), batches_(kSizes) {}

void Counters::job_started(const RunRef&, Duration waited) {
    add(Count::kStarted);
    running_.fetch_add(1, std::memory_order_relaxed);
    waits_.add(waited.count());
}

void Counters::run_ended(const RunRef&, Duration took) {
    running_.fetch_sub(1, std::memory_order_relaxed);
    runs_.add(took.count());
}

bool Counters::is_storage_up() const {
    const std::lock_guard lock(mutex_);
    return without_store_.empty();
}

void Counters::storage_down(std::string_view who, std::string_view) {
    add(Count::kStorageDown);
    const std::lock_guard lock(mutex_);
    without_store_.emplace(who);
}

void Counters::storage_up(std::string_view who) {
    const std::lock_guard lock(mutex_);
    if (const auto found = without_store_.find(who); found != without_store_.end()) {
        without_store_.erase(found);
    }
}

std::string_view metric_name(Count count) {
    return kNames.at(static_cast<std::size_t>(count)).metric;
}

std::string_view metric_help(Count count) {
    return kNames.at(static_cast<std::size_t>(count)).help;
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
    batches_.add(static_cast<std::int64_t>(writes));
    add(Count::kClaimed, static_cast<std::int64_t>(claimed));
}

void Counters::add(Count count, std::int64_t by) {
    counts_[static_cast<std::size_t>(count)].fetch_add(by, std::memory_order_relaxed);
}

}  // namespace jobhost
