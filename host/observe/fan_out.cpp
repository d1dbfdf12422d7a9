#include "host/observe/fan_out.h"

namespace jobhost {

void FanOut::job_started(const RunRef& run, Duration waited) {
    each(&JobEvents::job_started, run, waited);
}

void FanOut::run_ended(const RunRef& run, Duration took) {
    each(&JobEvents::run_ended, run, took);
}

void FanOut::job_succeeded(const RunRef& run, Duration took) {
    each(&JobEvents::job_succeeded, run, took);
}

void FanOut::job_retried(const RunRef& run, const JobError& why, Duration delay) {
    each(&JobEvents::job_retried, run, why, delay);
}

void FanOut::job_snoozed(const RunRef& run, Duration delay) {
    each(&JobEvents::job_snoozed, run, delay);
}

void FanOut::job_released(const RunRef& run, std::string_view why) {
    each(&JobEvents::job_released, run, why);
}

void FanOut::job_cancelled(const RunRef& run, std::string_view reason) {
    each(&JobEvents::job_cancelled, run, reason);
}

void FanOut::job_expired(JobId job, std::string_view type) {
    each(&JobEvents::job_expired, job, type);
}

void FanOut::job_failed(const RunRef& run, const JobError& why, std::string_view reason,
                        std::string_view detail) {
    each(&JobEvents::job_failed, run, why, reason, detail);
}

void FanOut::job_logged(const RunRef& run, LogLevel level, std::string_view text) {
    each(&JobEvents::job_logged, run, level, text);
}

void FanOut::timeout_reached(const RunRef& run, Duration limit) {
    each(&JobEvents::timeout_reached, run, limit);
}

void FanOut::cancellation_ignored(const RunRef& run, Duration since) {
    each(&JobEvents::cancellation_ignored, run, since);
}

void FanOut::late_success(const RunRef& run) {
    each(&JobEvents::late_success, run);
}

void FanOut::error_dropped(const RunRef& run, const JobError& error, std::string_view since) {
    each(&JobEvents::error_dropped, run, error, since);
}

void FanOut::lease_lost(const RunRef& run) {
    each(&JobEvents::lease_lost, run);
}

void FanOut::write_refused(const RunRef& run, std::string_view why) {
    each(&JobEvents::write_refused, run, why);
}

void FanOut::bad_delay(const RunRef& run, std::string_view function, std::string_view what) {
    each(&JobEvents::bad_delay, run, function, what);
}

void FanOut::dead_letter_started(const OwedRun& run) {
    each(&JobEvents::dead_letter_started, run);
}

void FanOut::dead_letter_finished(const OwedRun& run, DeadLetterState state,
                                  std::string_view error) {
    each(&JobEvents::dead_letter_finished, run, state, error);
}

void FanOut::dead_letter_left(const OwedRun& run, bool again) {
    each(&JobEvents::dead_letter_left, run, again);
}

void FanOut::dead_letter_logged(const OwedRun& run, LogLevel level, std::string_view text) {
    each(&JobEvents::dead_letter_logged, run, level, text);
}

void FanOut::dead_letter_ignored_cancellation(const OwedRun& run) {
    each(&JobEvents::dead_letter_ignored_cancellation, run);
}

void FanOut::node_registered(NodeId node, std::string_view incarnation) {
    each(&JobEvents::node_registered, node, incarnation);
}

void FanOut::node_lost(NodeId node, int runs) {
    each(&JobEvents::node_lost, node, runs);
}

void FanOut::node_declared_dead(const Node& node, std::string_view how) {
    each(&JobEvents::node_declared_dead, node, how);
}

void FanOut::heartbeat_late(Duration by) {
    each(&JobEvents::heartbeat_late, by);
}

void FanOut::lock_file_lost(std::string_view path) {
    each(&JobEvents::lock_file_lost, path);
}

void FanOut::orphan_requeued(const Orphan& orphan, Duration delay, bool attempt_used) {
    each(&JobEvents::orphan_requeued, orphan, delay, attempt_used);
}

void FanOut::orphan_failed(const Orphan& orphan, std::string_view reason, std::string_view detail) {
    each(&JobEvents::orphan_failed, orphan, reason, detail);
}

void FanOut::leases_given_back(int leases) {
    each(&JobEvents::leases_given_back, leases);
}

void FanOut::storage_down(std::string_view who, std::string_view what) {
    each(&JobEvents::storage_down, who, what);
}

void FanOut::storage_up(std::string_view who) {
    each(&JobEvents::storage_up, who);
}

void FanOut::batch_stored(std::size_t writes, std::size_t claimed, Duration took) {
    each(&JobEvents::batch_stored, writes, claimed, took);
}

void FanOut::purged(std::int64_t jobs, std::int64_t keys) {
    each(&JobEvents::purged, jobs, keys);
}

void FanOut::clock_jumped(Duration by) {
    each(&JobEvents::clock_jumped, by);
}

void FanOut::stopping(std::string_view why) {
    each(&JobEvents::stopping, why);
}

void FanOut::stop_phase(std::string_view sentence) {
    each(&JobEvents::stop_phase, sentence);
}

void FanOut::note(LogLevel level, std::string_view sentence) {
    each(&JobEvents::note, level, sentence);
}

}  // namespace jobhost
