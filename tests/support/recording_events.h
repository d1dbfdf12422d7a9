#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "host/engine/job_events.h"

namespace jobhost {

/// One fact that the engine said. `what` is the name of the function of JobEvents.
struct Said {
    std::string what = {};
    JobId job = 0;          // or the node's id for facts about nodes
    std::string text = {};  // the reason, the error's type, the sentence, ...
    std::string more = {};  // job_failed: the detail; bad_delay: what was wrong
    Duration time = {};     // the delay, the limit, ...
};

/// Keeps all that the engine says, and lets a test wait for it. Thread-safe.
class RecordingEvents final : public JobEvents {
public:
    /// Waits until at least `times` such facts were said; false when that never happens.
    bool wait(std::string_view what, std::size_t times = 1) {
        return wait_until(
            [&](const std::vector<Said>& all) { return count_in(all, what) >= times; });
    }

    /// The same for a fact about one job (or node).
    bool wait_for_job(std::string_view what, JobId job, std::size_t times = 1) {
        return wait_until([&](const std::vector<Said>& all) {
            std::size_t count = 0;
            for (const Said& said : all) count += said.what == what && said.job == job ? 1 : 0;
            return count >= times;
        });
    }

    bool wait_until(const std::function<bool(const std::vector<Said>&)>& come_true) {
        std::unique_lock lock(mutex_);
        // Far longer than anything takes: only a failing test waits for so long.
        return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return come_true(all_); });
    }

    std::size_t count(std::string_view what) const {
        const std::lock_guard lock(mutex_);
        return count_in(all_, what);
    }

    std::vector<Said> all(std::string_view what) const {
        const std::lock_guard lock(mutex_);
        std::vector<Said> found;
        for (const Said& said : all_) {
            if (said.what == what) found.push_back(said);
        }
        return found;
    }

    /// The last such fact; empty when there is none.
    Said last(std::string_view what) const {
        const std::vector<Said> found = all(what);
        return found.empty() ? Said{} : found.back();
    }

    // ---- JobEvents

    void job_started(const RunRef& run, Duration waited) override {
        say({"job_started", run.job, "", "", waited});
    }
    void job_succeeded(const RunRef& run, Duration took) override {
        say({"job_succeeded", run.job, "", "", took});
    }
    void job_retried(const RunRef& run, const JobError& why, Duration delay) override {
        say({"job_retried", run.job, why.type, why.message, delay});
    }
    void job_snoozed(const RunRef& run, Duration delay) override {
        say({"job_snoozed", run.job, "", "", delay});
    }
    void job_released(const RunRef& run, std::string_view why) override {
        say({"job_released", run.job, std::string(why)});
    }
    void job_cancelled(const RunRef& run, std::string_view reason) override {
        say({"job_cancelled", run.job, std::string(reason)});
    }
    void job_expired(JobId job, std::string_view type) override {
        say({"job_expired", job, std::string(type)});
    }
    void job_failed(const RunRef& run, const JobError&, std::string_view reason,
                    std::string_view detail) override {
        say({"job_failed", run.job, std::string(reason), std::string(detail)});
    }
    void job_logged(const RunRef& run, LogLevel, std::string_view text) override {
        say({"job_logged", run.job, std::string(text)});
    }
    void timeout_reached(const RunRef& run, Duration limit) override {
        say({"timeout_reached", run.job, "", "", limit});
    }
    void cancellation_ignored(const RunRef& run, Duration since) override {
        say({"cancellation_ignored", run.job, "", "", since});
    }
    void late_success(const RunRef& run) override { say({"late_success", run.job}); }
    void error_dropped(const RunRef& run, const JobError& error, std::string_view since) override {
        say({"error_dropped", run.job, error.type, std::string(since)});
    }
    void lease_lost(const RunRef& run) override { say({"lease_lost", run.job}); }
    void write_refused(const RunRef& run, std::string_view why) override {
        say({"write_refused", run.job, std::string(why)});
    }
    void bad_delay(const RunRef& run, std::string_view function, std::string_view what) override {
        say({"bad_delay", run.job, std::string(function), std::string(what)});
    }
    void dead_letter_started(const OwedRun& run) override {
        say({"dead_letter_started", run.job, run.name});
    }
    void dead_letter_finished(const OwedRun& run, DeadLetterState state,
                              std::string_view error) override {
        say({"dead_letter_finished", run.job, run.name + " " + std::string(to_string(state)),
             std::string(error)});
    }
    void dead_letter_left(const OwedRun& run, bool again) override {
        say({"dead_letter_left", run.job, run.name, again ? "again" : "interrupted"});
    }
    void dead_letter_logged(const OwedRun& run, LogLevel, std::string_view text) override {
        say({"dead_letter_logged", run.job, std::string(text)});
    }
    void dead_letter_ignored_cancellation(const OwedRun& run) override {
        say({"dead_letter_ignored_cancellation", run.job, run.name});
    }
    void node_registered(NodeId node, std::string_view) override { say({"node_registered", node}); }
    void node_lost(NodeId node, int) override { say({"node_lost", node}); }
    void node_declared_dead(const Node& node, std::string_view how) override {
        say({"node_declared_dead", node.id, std::string(how)});
    }
    void heartbeat_late(Duration by) override { say({"heartbeat_late", 0, "", "", by}); }
    void lock_file_lost(std::string_view path) override {
        say({"lock_file_lost", 0, std::string(path)});
    }
    void orphan_requeued(const Orphan& orphan, Duration delay, bool attempt_used) override {
        say({"orphan_requeued", orphan.lease.job, attempt_used ? "used" : "not used", "", delay});
    }
    void orphan_failed(const Orphan& orphan, std::string_view reason,
                       std::string_view detail) override {
        say({"orphan_failed", orphan.lease.job, std::string(reason), std::string(detail)});
    }
    void leases_given_back(int unknown) override { say({"leases_given_back", unknown}); }
    void storage_down(std::string_view who, std::string_view what) override {
        say({"storage_down", 0, std::string(who), std::string(what)});
    }
    void storage_up(std::string_view who) override { say({"storage_up", 0, std::string(who)}); }
    void purged(std::int64_t jobs, std::int64_t) override { say({"purged", jobs}); }
    void clock_jumped(Duration by) override { say({"clock_jumped", 0, "", "", by}); }
    void stop_phase(std::string_view sentence) override {
        say({"stop_phase", 0, std::string(sentence)});
    }

private:
    static std::size_t count_in(const std::vector<Said>& all, std::string_view what) {
        std::size_t count = 0;
        for (const Said& said : all) count += said.what == what ? 1 : 0;
        return count;
    }

    void say(Said said) {
        const std::lock_guard lock(mutex_);
        all_.push_back(std::move(said));
        changed_.notify_all();
    }

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Said> all_;  // guarded by mutex_
};

}  // namespace jobhost
