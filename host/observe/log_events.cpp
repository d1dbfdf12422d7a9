#include "host/observe/log_events.h"

#include "host/observe/counted.h"
#include "host/observe/duration_text.h"

namespace jobhost {
namespace {

constexpr std::string_view kMustNotRetry = "must_not_retry";

LogSubject about(const RunRef& run) {
    return {.job = run.job, .type = run.type, .attempt = run.attempt};
}

LogSubject about(const OwedRun& run) {
    return {.job = run.job, .type = run.type};
}

LogSubject about(const Orphan& orphan) {
    return {.job = orphan.lease.job, .type = orphan.type, .attempt = orphan.attempts};
}

std::string error_text(const JobError& error) {
    return error.message.empty() ? error.type : error.type + ": " + error.message;
}

std::string kind_text(const OwedRun& run) {
    return run.kind == DeadLetterKind::kHandler ? "dead-letter handler" : "forwarder " + run.name;
}

std::string in_text(Duration delay) {
    return delay <= Duration::zero() ? "at once" : "in " + duration_text(delay);
}

std::string_view or_nameless(const std::string& name) {
    return name.empty() ? std::string_view("without name") : std::string_view(name);
}

/// An error that somebody listed on purpose is no warning.
LogLevel level_of_failure(std::string_view reason) {
    return reason == kMustNotRetry ? LogLevel::kInfo : LogLevel::kWarning;
}

std::string failure_text(std::string_view reason, std::string_view detail) {
    std::string text = reason == kMustNotRetry ? "failed and must not be retried"
                                               : "failed for good, " + std::string(reason);
    if (!detail.empty()) text += " (" + std::string(detail) + ')';
    return text;
}

}  // namespace

void LogEvents::job_started(const RunRef& run, Duration) {
    if (!log_.enabled(LogLevel::kDebug)) return;
    log_.write(LogLevel::kDebug, "started in queue " + std::string(run.queue), about(run));
}

void LogEvents::job_succeeded(const RunRef& run, Duration took) {
    if (!log_.enabled(LogLevel::kDebug)) return;
    log_.write(LogLevel::kDebug, "succeeded after " + duration_text(took), about(run));
}

void LogEvents::job_retried(const RunRef& run, const JobError& why, Duration delay) {
    log_.write(LogLevel::kInfo,
               "failed and will be retried " + in_text(delay) + ": " + error_text(why), about(run));
}

void LogEvents::job_snoozed(const RunRef& run, Duration delay) {
    if (!log_.enabled(LogLevel::kDebug)) return;
    log_.write(LogLevel::kDebug, "snoozed, runs again " + in_text(delay), about(run));
}

void LogEvents::job_released(const RunRef& run, std::string_view why) {
    log_.write(LogLevel::kInfo, "given back without using the attempt: " + std::string(why),
               about(run));
}

void LogEvents::job_cancelled(const RunRef& run, std::string_view reason) {
    // A reason such as `cancelled by ann` is a sentence already.
    const std::string text = reason.starts_with("cancelled") ? "" : "cancelled: ";
    log_.write(LogLevel::kInfo, text + std::string(reason), about(run));
}

void LogEvents::job_expired(JobId job, std::string_view type) {
    log_.write(LogLevel::kInfo, "expired: its deadline passed before it could start",
               {.job = job, .type = type});
}

void LogEvents::job_failed(const RunRef& run, const JobError& why, std::string_view reason,
                           std::string_view detail) {
    log_.write(level_of_failure(reason), failure_text(reason, detail) + ": " + error_text(why),
               about(run));
}

void LogEvents::job_logged(const RunRef& run, LogLevel level, std::string_view text) {
    log_.write(level, text, about(run));
}

void LogEvents::timeout_reached(const RunRef& run, Duration limit) {
    log_.write(
        LogLevel::kWarning,
        "reached its time limit of " + duration_text(limit) + "; its cancellation is requested",
        about(run));
}

void LogEvents::cancellation_ignored(const RunRef& run, Duration since) {
    log_.write(LogLevel::kWarning,
               "ignored cancellation for " + duration_text(since) +
                   " and still holds its worker slot of queue " + std::string(run.queue),
               about(run));
}

void LogEvents::late_success(const RunRef& run) {
    log_.write(LogLevel::kInfo,
               "returned without an error, but only after its time limit had failed the attempt",
               about(run));
}

void LogEvents::error_dropped(const RunRef& run, const JobError& error, std::string_view since) {
    log_.write(LogLevel::kWarning,
               "threw " + error_text(error) + "; that changes nothing, since " + std::string(since),
               about(run));
}

void LogEvents::lease_lost(const RunRef& run) {
    log_.write(LogLevel::kWarning,
               "lost its lease (fence " + std::to_string(run.fence) +
                   "): its result is dropped, since another node answers for the job",
               about(run));
}

void LogEvents::write_refused(const RunRef& run, std::string_view why) {
    log_.write(LogLevel::kError, "the store refused what the run left behind: " + std::string(why),
               about(run));
}

void LogEvents::bad_delay(const RunRef& run, std::string_view function, std::string_view what) {
    log_.write(LogLevel::kWarning,
               "delay function " + std::string(function) + ' ' + std::string(what), about(run));
}

void LogEvents::dead_letter_started(const OwedRun& run) {
    if (!log_.enabled(LogLevel::kDebug)) return;
    log_.write(LogLevel::kDebug, kind_text(run) + " started", about(run));
}

void LogEvents::dead_letter_finished(const OwedRun& run, DeadLetterState state,
                                     std::string_view error) {
    const bool well =
        state == DeadLetterState::kSucceeded || state == DeadLetterState::kNotApplicable;
    const LogLevel level = well ? LogLevel::kDebug : LogLevel::kWarning;
    if (!log_.enabled(level)) return;
    std::string text = kind_text(run) + ": " + std::string(to_string(state));
    if (!error.empty()) text += ", " + std::string(error);
    log_.write(level, text, about(run));
}

void LogEvents::dead_letter_left(const OwedRun& run, bool again) {
    log_.write(LogLevel::kWarning,
               again ? kind_text(run) + ": its node died; it is owed again, for later"
                     : kind_text(run) +
                           ": interrupted, its node died, and it is not called again; "
                           "`jobhost deadletter rerun " +
                           std::to_string(run.run) + "` does it by hand",
               about(run));
}

void LogEvents::dead_letter_logged(const OwedRun& run, LogLevel level, std::string_view text) {
    log_.write(level, kind_text(run) + ": " + std::string(text), about(run));
}

void LogEvents::dead_letter_ignored_cancellation(const OwedRun& run) {
    log_.write(LogLevel::kWarning,
               kind_text(run) + " ignored cancellation; its thread is written off and replaced",
               about(run));
}

void LogEvents::node_registered(NodeId node, std::string_view incarnation) {
    log_.write(LogLevel::kInfo, "registered as node " + std::to_string(node) + ", incarnation " +
                                    std::string(incarnation));
}

void LogEvents::node_lost(NodeId node, int runs) {
    log_.write(LogLevel::kError, "node " + std::to_string(node) +
                                     " (this one) was declared dead by another node; " +
                                     counted(runs, "run") + " lost the lease; registering anew");
}

void LogEvents::node_declared_dead(const Node& node, std::string_view how) {
    log_.write(LogLevel::kWarning, "node " + std::to_string(node.id) + " (" +
                                       std::string(or_nameless(node.registration.name)) +
                                       ", service " + node.registration.service +
                                       ") is dead: " + std::string(how));
}

void LogEvents::heartbeat_late(Duration by) {
    log_.write(LogLevel::kWarning, "the heartbeat was late by " + duration_text(by) +
                                       "; a node that is silent for too long is declared dead");
}

void LogEvents::lock_file_lost(std::string_view path) {
    log_.write(LogLevel::kError,
               "the lock file " + std::string(path) +
                   " was deleted or lost its lock; no jobs are claimed until it is back");
}

void LogEvents::orphan_requeued(const Orphan& orphan, Duration delay, bool attempt_used) {
    log_.write(LogLevel::kWarning,
               "was orphaned: node " + std::string(or_nameless(orphan.node_name)) + " died (" +
                   orphan.death + "); requeued, runs " + in_text(delay) +
                   (attempt_used ? ", the attempt is used" : ", the attempt is not used"),
               about(orphan));
}

void LogEvents::orphan_failed(const Orphan& orphan, std::string_view reason,
                              std::string_view detail) {
    log_.write(level_of_failure(reason),
               "was orphaned: node " + std::string(or_nameless(orphan.node_name)) + " died (" +
                   orphan.death + "); " + failure_text(reason, detail),
               about(orphan));
}

void LogEvents::leases_given_back(int leases) {
    log_.write(LogLevel::kWarning,
               counted(leases, "job") + " with this node's name, unknown to it: given back");
}

void LogEvents::storage_down(std::string_view who, std::string_view what) {
    {
        const std::lock_guard lock(mutex_);
        const auto [place, added] = down_.try_emplace(std::string(who), what);
        if (!added) return;
    }
    log_.write(LogLevel::kError,
               "the store is not available (" + std::string(who) + "): " + std::string(what));
}

void LogEvents::storage_up(std::string_view who) {
    {
        const std::lock_guard lock(mutex_);
        const auto place = down_.find(who);
        if (place == down_.end()) return;
        down_.erase(place);
    }
    log_.write(LogLevel::kInfo, "the store is available again (" + std::string(who) + ')');
}

void LogEvents::batch_stored(std::size_t writes, std::size_t claimed, Duration took) {
    if (!log_.enabled(LogLevel::kTrace)) return;
    log_.write(LogLevel::kTrace, "stored " + counted(static_cast<std::int64_t>(writes), "write") +
                                     " and claimed " +
                                     counted(static_cast<std::int64_t>(claimed), "job") + " in " +
                                     duration_text(took));
}

void LogEvents::purged(std::int64_t jobs, std::int64_t keys) {
    log_.write(LogLevel::kDebug,
               "purged " + counted(jobs, "job") + " and " + counted(keys, "idempotency key"));
}

void LogEvents::clock_jumped(Duration by) {
    log_.write(LogLevel::kWarning, "the clock jumped by " + duration_text(by) +
                                       "; purging and expiring pause for one pass");
}

void LogEvents::stopping(std::string_view why) {
    log_.write(LogLevel::kInfo, "stopping: " + std::string(why));
}

void LogEvents::stop_phase(std::string_view sentence) {
    log_.write(LogLevel::kInfo, "stopping: " + std::string(sentence));
}

void LogEvents::note(LogLevel level, std::string_view sentence) {
    log_.write(level, sentence);
}

}  // namespace jobhost
