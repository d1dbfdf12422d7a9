#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/engine/decide.h"
#include "host/engine/job_events.h"
#include "host/engine/plan.h"
#include "host/engine/run_context.h"
#include "host/engine/storage_health.h"
#include "host/engine/watchdog.h"
#include "host/engine/write_queue.h"
#include "storage/node_file.h"

namespace jobhost {

/// What every run of a node uses. Outlives them all.
struct RunServices {
    const Clock& clock;
    JobEvents& events;
    WriteQueue& writes;
    StorageHealth& health;
};

/// Checks the job and has it stored: the one way in for jobs that jobs, handlers and plugins make.
Asked ask_to_enqueue(NewJob job, const EngineSettings& settings, const RunServices& services);

/// One claimed job on its way through this node: what its code sees of the host, and what happens
/// to it meanwhile. The first reason to stop wins; only a lost lease overrides it.
///
/// Threads: `begin`, `finish` on the worker; RunContext from any thread of the job; `request_stop`
/// and `check` from the watchdog, the store thread and the stopping thread.
class Run final : public RunContext, public Watched, public std::enable_shared_from_this<Run> {
public:
    Run(ClaimedJob job, std::shared_ptr<const Plan> plan, const RunServices& services,
        SteadyPoint claimed_at);
    ~Run() override;

    // RunContext
    void log(LogLevel level, std::string_view text) override;
    Asked enqueue(NewJob job) override;
    StopCause stop_cause() override;
    StopCause wait(Duration at_most) override;
    const ClaimedJob& job() const override { return job_; }
    const std::string& type() const override { return type_plan_.type->name; }
    const std::string& queue() const override { return queue_plan_.name; }
    void progress(int percent, std::string_view text) override;
    Asked save_checkpoint(std::string_view json) override;
    Asked enqueue_on_success(NewJob job) override;
    bool complete() override;

    // The node's side
    SteadyPoint check(SteadyPoint now) override;
    void begin(SteadyPoint now);
    SteadyPoint first_look() const;

    /// True for the call that set the cause. `by`: for kOperator. After `finish` nothing changes.
    bool request_stop(StopCause cause, const std::string& by = {});

    /// Takes what happened: the outcome is fixed from here on. nullopt: the lease was lost, or the
    /// node gave the run up meanwhile (see give_up).
    std::optional<RunEnd> finish(RunResult result, SteadyPoint now);

    /// For the stop of a node whose code does not return: the end as it is now, and nothing that
    /// the code does later counts.
    std::optional<RunEnd> give_up();

    /// The report for an end: lines, progress and start that are not stored yet.
    RunReport report(Transition next);

    RunRef ref() const;
    RunFacts facts() const;
    const TypePlan& type_plan() const { return type_plan_; }
    const std::shared_ptr<const Plan>& plan() const { return plan_; }
    SteadyPoint claimed_at() const { return claimed_at_; }
    std::int64_t fence() const { return job_.lease.fence; }
    SteadyPoint began_at() const { return began_at_; }
    bool has_begun() const;

    /// From when it was due to its start.
    Duration waited() const;
    StopCause cause_now() const;
    bool is_prefetched = false;                // set by the store thread before it is handed out
    std::shared_ptr<NodeFile> node_file = {};  // likewise; may be null

private:
    RunNote take_note();
    bool is_past_limit(SteadyPoint now) const;
    void keep_line(LogLevel level, std::string text);

    const ClaimedJob job_;
    const std::shared_ptr<const Plan> plan_;
    const QueuePlan& queue_plan_;
    const TypePlan& type_plan_;
    const RunServices& services_;
    const SteadyPoint claimed_at_;
    SteadyPoint began_at_ = {};  // written by `begin` before others see the run
    SteadyPoint limit_at_ = SteadyPoint::max();
    Duration limit_ = {};
    std::atomic<StopCause> cause_ = StopCause::kNone;  // written under mutex_

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    // Guarded by mutex_:
    bool begun_ = false;
    bool ended_ = false;
    bool saw_stop_ = false;
    bool completed_ = false;
    bool start_stored_ = false;
    bool warned_ = false;
    std::optional<TimePoint> started_at_ = {};
    SteadyPoint stop_asked_at_ = {};
    std::string stopped_by_ = {};
    std::vector<LogLine> new_lines_ = {};
    std::optional<int> percent_ = {};
    std::optional<std::string> progress_text_ = {};
    std::optional<std::string> stopping_ = {};
    std::vector<NewJob> on_success_ = {};
    std::optional<std::uint32_t> start_mark_ = {};
};

}  // namespace jobhost
