#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "host/engine/executor.h"
#include "host/engine/thread_group.h"

namespace jobhost {

/// The workers of one queue and the claimed jobs that wait for them. Bounded by what is claimed.
class WorkerQueue {
public:
    WorkerQueue(std::string name, int workers, Executor& executor, Watchdog& watchdog,
                const RunServices& services);

    /// Ends when every worker has returned. See `release_threads` for code that does not.
    ~WorkerQueue();

    const std::string& name() const { return name_; }

    /// More workers come at once; those that are too many go as they become free.
    void set_workers(int workers);

    /// Few workers are woken for many short jobs. True: some were left asleep; should one of the
    /// jobs be long after all, `wake_idle` wakes the rest.
    bool put(std::vector<std::shared_ptr<Run>> runs);

    /// Workers that could start a job now.
    int free() const;

    /// Some worker is in a job's code.
    bool is_running() const;

    /// How many jobs to hold ready beyond the free workers: about 20 ms of work where the recent
    /// mean run is under 5 ms, else none. None either after prefetched jobs were taken back, until
    /// the next run ends: else they would be claimed and given back for as long as a slow job runs.
    int wanted_ready() const;
    int ready() const;

    /// Takes back what has not started: everything, or only what was prefetched before
    /// `claimed_by`.
    std::vector<std::shared_ptr<Run>> take_back();
    std::vector<std::shared_ptr<Run>> take_back_prefetched(SteadyPoint claimed_by);

    /// Wakes every idle worker when there is something to do.
    void wake_idle();

    /// No worker starts anything any more.
    void close();

    /// For a process that ends by _exit: leaves threads alone whose code does not return.
    void release_threads();

private:
    void add_worker();
    void work(Watchdog::Place& place);
    std::shared_ptr<Run> next();
    void done(Duration took);
    int workers_to_wake(int added) const;

    const std::string name_;
    Executor& executor_;
    Watchdog& watchdog_;
    const RunServices& services_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::shared_ptr<Run>> ready_;  // guarded by mutex_, as are the rest
    int workers_ = 0;                         // wanted
    int alive_ = 0;                           // threads, some of which may be too many
    int busy_ = 0;
    int idle_ = 0;  // waiting for work
    bool closed_ = false;
    bool measured_ = false;
    bool stuck_ = false;      // prefetched jobs were taken back, and no run has ended since
    double mean_run_us_ = 0;  // recent mean
    ThreadGroup threads_;
};

}  // namespace jobhost
