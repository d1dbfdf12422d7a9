#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "host/engine/current_plan.h"
#include "host/engine/job_types.h"
#include "host/engine/run.h"
#include "host/engine/thread_group.h"
#include "host/engine/watchdog.h"
#include "storage/store.h"

namespace jobhost {

/// Runs handlers and forwarders of failed jobs, on threads of its own, so that a slow one never
/// holds a worker. Each run is started by a guarded write before its code is called: a run that
/// somebody else closed or took is not called. The runs of one job go in order: handler first.
///
/// A run past `dead_letter.timeout` is asked to stop; 10 s later its row says so, and its thread is
/// written off and replaced, at most 64 at a time.
class DeadLetterPool {
public:
    DeadLetterPool(const CurrentPlan& plans, const JobTypes& types, std::unique_ptr<Store> session,
                   Watchdog& watchdog, const RunServices& services);
    ~DeadLetterPool();

    void add(std::vector<OwedRun> runs);

    /// As many as `dead_letter.workers` says now: more at once, fewer as they become free.
    void follow_plan();

    /// Nothing waits and nothing runs.
    bool is_idle() const;

    /// Nothing new begins: what waits stays owed in the store.
    void close();

    /// Running handlers are asked to stop.
    void ask_to_stop();

    /// Waits for running handlers, those written off included, at most until then. True: all have
    /// ended.
    bool wait_ended(SteadyPoint until);

    /// For a process that ends by _exit: leaves threads alone whose code does not return.
    void release_threads();

private:
    class Call;
    using Group = std::deque<OwedRun>;  // the runs of one job, in order
    enum class Phase { kAsking, kRunning };
    enum class Applies { kYes, kNo, kWrittenOff };

    void work(Watchdog::Place& place);
    bool take(Group& group);
    bool run_one(const OwedRun& run, Watchdog::Place& place, const std::shared_ptr<Group>& rest);
    std::optional<Job> read_job(JobId job);
    Applies applies(const OwedRun& run, const Job& job, Watchdog::Place& place,
                    const std::shared_ptr<Group>& rest);
    std::shared_ptr<Call> enter(const OwedRun& run, Watchdog::Place& place,
                                const std::shared_ptr<Group>& rest, Phase phase);
    DeadLetterState call(const OwedRun& run, const Job& job, Call& context, std::string& error);
    bool is_interrupted(const OwedRun& run, Call& context) const;
    bool start(const OwedRun& run);
    void finish(const OwedRun& run, DeadLetterState state, const std::string& error);
    void add_thread();
    bool is_surplus() const { return alive_ > wanted_; }
    void replace_thread(const std::shared_ptr<Group>& rest);
    void end_written_off();

    static constexpr int kMaxReplaced = 64;

    const CurrentPlan& plans_;
    const JobTypes& types_;
    Watchdog& watchdog_;
    const RunServices& services_;

    std::mutex session_mutex_;
    const std::unique_ptr<Store> session_;  // used under session_mutex_

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    // Guarded by mutex_:
    std::deque<Group> groups_;
    int wanted_ = 0;  // threads
    int alive_ = 0;   // threads that are not written off
    int busy_ = 0;
    std::vector<std::weak_ptr<Call>> calls_;  // running
    int written_off_ = 0;                     // threads whose code has not returned yet
    bool closed_ = false;
    ThreadGroup threads_;
};

}  // namespace jobhost
