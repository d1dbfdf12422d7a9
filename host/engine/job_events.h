#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "storage/storage.h"

namespace jobhost {

/// Which run a fact is about.
struct RunRef {
    JobId job = 0;
    std::string_view type = {};
    std::string_view queue = {};
    int attempt = 0;
    std::int64_t fence = 0;
};

/// The engine says each fact once; log, metrics and test recorders listen. Called from many
/// threads, also on the hot path: implementations must be quick, thread-safe and must not throw.
/// Every function has an empty default, so a listener overrides what it cares for.
class JobEvents {
public:
    virtual ~JobEvents() = default;

    // ---- runs
    /// `waited`: since it was due.
    virtual void job_started(const RunRef&, Duration /*waited*/) {}
    /// Its code has returned, whatever comes of it.
    virtual void run_ended(const RunRef&, Duration /*took*/) {}
    virtual void job_succeeded(const RunRef&, Duration /*took*/) {}
    virtual void job_retried(const RunRef&, const JobError&, Duration /*delay*/) {}
    virtual void job_snoozed(const RunRef&, Duration /*delay*/) {}
    virtual void job_released(const RunRef&, std::string_view /*why*/) {}
    virtual void job_cancelled(const RunRef&, std::string_view /*reason*/) {}
    virtual void job_expired(JobId, std::string_view /*type*/) {}
    /// `detail`: for must_not_retry, which listed name matched and where it was listed.
    virtual void job_failed(const RunRef&, const JobError&, std::string_view /*reason*/,
                            std::string_view /*detail*/) {}
    virtual void job_logged(const RunRef&, LogLevel, std::string_view /*text*/) {}
    virtual void timeout_reached(const RunRef&, Duration /*limit*/) {}
    virtual void cancellation_ignored(const RunRef&, Duration /*since the request*/) {}
    /// A job ended well after its time limit had already decided otherwise.
    virtual void late_success(const RunRef&) {}
    /// The job's code threw when the outcome was fixed already. `since`: by what.
    virtual void error_dropped(const RunRef&, const JobError&, std::string_view /*since*/) {}
    virtual void lease_lost(const RunRef&) {}
    /// The store will never take this item: a job that cannot be stored as it is.
    virtual void write_refused(const RunRef&, std::string_view /*why*/) {}
    virtual void bad_delay(const RunRef&, std::string_view /*function*/,
                           std::string_view /*what*/) {}

    // ---- dead letters
    virtual void dead_letter_started(const OwedRun&) {}
    virtual void dead_letter_finished(const OwedRun&, DeadLetterState, std::string_view /*error*/) {
    }
    /// A dead node left it: `again`, it is done once more later, else it ended as interrupted.
    virtual void dead_letter_left(const OwedRun&, bool /*again*/) {}
    virtual void dead_letter_logged(const OwedRun&, LogLevel, std::string_view /*text*/) {}
    virtual void dead_letter_ignored_cancellation(const OwedRun&) {}

    // ---- nodes
    virtual void node_registered(NodeId, std::string_view /*incarnation*/) {}
    /// This node was declared dead; `runs` were dropped; it registers anew.
    virtual void node_lost(NodeId, int /*runs*/) {}
    virtual void node_declared_dead(const Node&, std::string_view /*how*/) {}
    virtual void heartbeat_late(Duration /*by*/) {}
    virtual void lock_file_lost(std::string_view /*path*/) {}
    virtual void orphan_requeued(const Orphan&, Duration /*delay*/, bool /*attempt_used*/) {}
    /// `detail`: as for job_failed.
    virtual void orphan_failed(const Orphan&, std::string_view /*reason*/,
                               std::string_view /*detail*/) {}
    virtual void leases_given_back(int /*unknown leases*/) {}

    // ---- the store
    virtual void storage_down(std::string_view /*who*/, std::string_view /*what*/) {}
    virtual void storage_up(std::string_view /*who*/) {}
    virtual void batch_stored(std::size_t /*writes*/, std::size_t /*claimed*/, Duration /*took*/) {}
    virtual void purged(std::int64_t /*jobs*/, std::int64_t /*keys*/) {}
    virtual void clock_jumped(Duration /*by*/) {}

    // ---- the host
    virtual void stopping(std::string_view /*why*/) {}
    virtual void stop_phase(std::string_view /*sentence*/) {}
    virtual void note(LogLevel, std::string_view /*sentence*/) {}
};

}  // namespace jobhost
