#pragma once

#include <map>
#include <mutex>
#include <string>

#include "host/engine/job_events.h"
#include "host/observe/log.h"

namespace jobhost {

/// What the engine says, as log lines. A job that goes well makes no line above debug; one that
/// does not makes one line, whoever has to act on it. The state of the store makes one line per
/// change.
class LogEvents final : public JobEvents {
public:
    /// `log` outlives the listener.
    explicit LogEvents(Log& log) : log_(log) {}

    void job_started(const RunRef& run, Duration waited) override;
    void job_succeeded(const RunRef& run, Duration took) override;
    void job_retried(const RunRef& run, const JobError& why, Duration delay) override;
    void job_snoozed(const RunRef& run, Duration delay) override;
    void job_released(const RunRef& run, std::string_view why) override;
    void job_cancelled(const RunRef& run, std::string_view reason) override;
    void job_expired(JobId job, std::string_view type) override;
    void job_failed(const RunRef& run, const JobError& why, std::string_view reason,
                    std::string_view detail) override;
    void job_logged(const RunRef& run, LogLevel level, std::string_view text) override;
    void timeout_reached(const RunRef& run, Duration limit) override;
    void cancellation_ignored(const RunRef& run, Duration since) override;
    void late_success(const RunRef& run) override;
    void error_dropped(const RunRef& run, const JobError& error, std::string_view since) override;
    void lease_lost(const RunRef& run) override;
    void write_refused(const RunRef& run, std::string_view why) override;
    void bad_delay(const RunRef& run, std::string_view function, std::string_view what) override;

    void dead_letter_started(const OwedRun& run) override;
    void dead_letter_finished(const OwedRun& run, DeadLetterState state,
                              std::string_view error) override;
    void dead_letter_left(const OwedRun& run, bool again) override;
    void dead_letter_logged(const OwedRun& run, LogLevel level, std::string_view text) override;
    void dead_letter_ignored_cancellation(const OwedRun& run) override;

    void node_registered(NodeId node, std::string_view incarnation) override;
    void node_lost(NodeId node, int runs) override;
    void node_declared_dead(const Node& node, std::string_view how) override;
    void heartbeat_late(Duration by) override;
    void lock_file_lost(std::string_view path) override;
    void orphan_requeued(const Orphan& orphan, Duration delay, bool attempt_used) override;
    void orphan_failed(const Orphan& orphan, std::string_view reason,
                       std::string_view detail) override;
    void leases_given_back(int leases) override;

    void storage_down(std::string_view who, std::string_view what) override;
    void storage_up(std::string_view who) override;
    void batch_stored(std::size_t writes, std::size_t claimed, Duration took) override;
    void purged(std::int64_t jobs, std::int64_t keys) override;
    void clock_jumped(Duration by) override;

    void stopping(std::string_view why) override;
    void stop_phase(std::string_view sentence) override;
    void note(LogLevel level, std::string_view sentence) override;

private:
    Log& log_;

    std::mutex mutex_;
    std::map<std::string, std::string, std::less<>> down_;  // who -> what; guarded by mutex_
};

}  // namespace jobhost
