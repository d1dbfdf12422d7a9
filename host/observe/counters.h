#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "host/engine/job_events.h"
#include "host/observe/histogram.h"

namespace jobhost {

/// What a node has counted since it started.
enum class Count {
    kStarted,
    kSucceeded,
    kRetried,
    kSnoozed,
    kReleased,
    kCancelled,
    kExpired,
    kFailed,
    kTimedOut,
    kCancellationIgnored,
    kLateSuccess,
    kLeaseLost,
    kWriteRefused,
    kBadDelay,
    kDeadLetterHandled,
    kDeadLetterHandlerFailed,
    kNodeLost,
    kNodeDeclaredDead,
    kHeartbeatLate,
    kOrphanRequeued,
    kOrphanFailed,
    kLeaseGivenBack,
    kStorageDown,
    kBatch,
    kWrite,
    kClaimed,
    kPurged,
};
inline constexpr std::size_t kCounts = static_cast<std::size_t>(Count::kPurged) + 1;

/// The name under which metrics show the count: `jobhost_jobs_cancellation_ignored_total`.
std::string_view metric_name(Count count);

/// What it counts, for the same place.
std::string_view metric_help(Count count);

/// Runs of one forwarder.
struct ForwarderCounts {
    std::int64_t forwarded = 0;
    std::int64_t failed = 0;
};

/// Counts what the engine says. Costs an atomic addition per fact, so it may listen to every job.
class Counters final : public JobEvents {
public:
    Counters();

    std::int64_t value(Count count) const;
    std::map<std::string, ForwarderCounts, std::less<>> forwarders() const;

    const Histogram& waits() const { return waits_; }      // microseconds from due to start
    const Histogram& runs() const { return runs_; }        // microseconds of plugin code
    const Histogram& batches() const { return batches_; }  // writes per transaction
    std::int64_t running() const { return running_.load(std::memory_order_relaxed); }

    /// Nobody has found the store away since it was last served.
    bool is_storage_up() const;

    void job_started(const RunRef&, Duration waited) override;
    void run_ended(const RunRef&, Duration took) override;
    void job_succeeded(const RunRef&, Duration) override { add(Count::kSucceeded); }
    void job_retried(const RunRef&, const JobError&, Duration) override { add(Count::kRetried); }
    void job_snoozed(const RunRef&, Duration) override { add(Count::kSnoozed); }
    void job_released(const RunRef&, std::string_view) override { add(Count::kReleased); }
    void job_cancelled(const RunRef&, std::string_view) override { add(Count::kCancelled); }
    void job_expired(JobId, std::string_view) override { add(Count::kExpired); }
    void job_failed(const RunRef&, const JobError&, std::string_view, std::string_view) override {
        add(Count::kFailed);
    }
    void timeout_reached(const RunRef&, Duration) override { add(Count::kTimedOut); }
    void cancellation_ignored(const RunRef&, Duration) override {
        add(Count::kCancellationIgnored);
    }
    void late_success(const RunRef&) override { add(Count::kLateSuccess); }
    void lease_lost(const RunRef&) override { add(Count::kLeaseLost); }
    void write_refused(const RunRef&, std::string_view) override { add(Count::kWriteRefused); }
    void bad_delay(const RunRef&, std::string_view, std::string_view) override {
        add(Count::kBadDelay);
    }
    void dead_letter_finished(const OwedRun& run, DeadLetterState state,
                              std::string_view error) override;
    void node_lost(NodeId, int) override { add(Count::kNodeLost); }
    void node_declared_dead(const Node&, std::string_view) override {
        add(Count::kNodeDeclaredDead);
    }
    void heartbeat_late(Duration) override { add(Count::kHeartbeatLate); }
    void orphan_requeued(const Orphan&, Duration, bool) override { add(Count::kOrphanRequeued); }
    void orphan_failed(const Orphan&, std::string_view, std::string_view) override {
        add(Count::kOrphanFailed);
    }
    void leases_given_back(int leases) override { add(Count::kLeaseGivenBack, leases); }
    void storage_down(std::string_view who, std::string_view what) override;
    void storage_up(std::string_view who) override;
    void batch_stored(std::size_t writes, std::size_t claimed, Duration took) override;
    void purged(std::int64_t jobs, std::int64_t) override { add(Count::kPurged, jobs); }

private:
    void add(Count count, std::int64_t by = 1);

    std::array<std::atomic<std::int64_t>, kCounts> counts_ = {};
    Histogram waits_;
    Histogram runs_;
    Histogram batches_;
    std::atomic<std::int64_t> running_ = 0;

    mutable std::mutex mutex_;
    // Guarded by mutex_:
    std::map<std::string, ForwarderCounts, std::less<>> forwarders_;
    std::set<std::string, std::less<>> without_store_;  // who said storage_down last
};

}  // namespace jobhost
