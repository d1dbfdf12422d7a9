#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "host/engine/current_plan.h"
#include "host/engine/executor.h"
#include "host/engine/membership.h"
#include "host/engine/worker_queues.h"
#include "storage/storage_error.h"

namespace jobhost {

/// What the store thread tells the rest of the node. Called on the store thread.
struct DispatcherHooks {
    std::function<void(std::vector<OwedRun>)> owed = {};  // dead-letter runs to do now
    std::function<void(const NodeRequest&)> asked = {};   // by an operator, of the process
};

/// The store thread: the only one that writes outcomes and claims jobs. What gathered while one
/// exchange with the store went on is the next exchange: no timer, no linger, one commit for many.
///
/// When the store is away, outcomes are kept and tried again with a growing pause; nothing is
/// claimed meanwhile, so what is kept is bounded by what had been claimed.
class Dispatcher {
public:
    /// All references outlive the dispatcher.
    Dispatcher(const CurrentPlan& plans, std::unique_ptr<Store> session, Membership& membership,
               WorkerQueues& queues, Executor& executor, const RunServices& services,
               DispatcherHooks hooks);
    ~Dispatcher();

    /// There may be news in the store (new jobs, requests), or a new plan. Thread-safe.
    void look();

    /// Waits until no claimed job is left on this node and everything is stored, or `until`.
    bool wait_idle(SteadyPoint until);
    bool is_idle() const;

    /// Waits until idleness changes, or `until`.
    void wait_change(SteadyPoint until);

    // The stop, in this order. Thread-safe.
    void stop_claiming();  // and gives back what has not started
    void ask_to_stop();    // running jobs are asked to stop
    void give_up_runs();   // what still runs is given back, its code left alone
    /// Stores what is left. False: the store is away, outcomes are lost with the process, and the
    /// store thread may still wait for it.
    bool flush_and_end(SteadyPoint until);

private:
    enum class Phase { kWorking, kDraining, kAsked, kGivenUp, kEnding };
    using Batch = std::vector<PendingWrite>;

    void loop();
    SteadyPoint step();
    void follow_plan();
    void enter_phase(Phase phase);
    void give_back_unstarted();
    void give_back_stale(SteadyPoint now);
    void give_back_unknown();
    void drop_lost_leases();
    void drop_dead_writes(Batch& batch);
    std::vector<Demand> demands();
    bool exchange(Batch& batch, const std::vector<Demand>& wanted);
    void exchange_failed(Batch batch, const StorageError& error);
    void take_claimed(std::vector<ClaimedJob> claimed, const std::vector<Demand>& wanted);
    /// `stored`: what `write` was about; it is not in there any more.
    void answer(PendingWrite& write, const Write& stored, WriteAnswer& answer,
                std::vector<OwedRun>& owed);
    void answer_report(PendingWrite& write, const RunReport& report, WriteAnswer& answer,
                       std::vector<OwedRun>& owed);
    void refused(const PendingWrite& write, const RunReport& report, const WriteAnswer& answer);
    void say_outcome(const PendingWrite& write, const RunReport& report, const WriteAnswer& answer);
    void serve(const NodeRequest& request);
    void publish_idle();
    void all_hungry();
    void renew();
    void replace_lock();

    static constexpr auto kCheckLeasesEvery = std::chrono::seconds(60);     // SPEC 4
    static constexpr auto kGiveBackAfter = std::chrono::milliseconds(100);  // SPEC 4: not started

    const CurrentPlan& plans_;
    const std::unique_ptr<Store> session_;
    Membership& membership_;
    WorkerQueues& all_queues_;
    Executor& executor_;
    const RunServices& services_;
    const DispatcherHooks hooks_;

    // The store thread's own:
    std::shared_ptr<const Plan> plan_ = {};
    std::vector<WorkerQueue*> queues_ = {};  // of the plan, in its order
    NodeId node_ = 0;
    Phase phase_ = Phase::kWorking;
    std::unordered_map<JobId, std::shared_ptr<Run>> active_ = {};  // claimed, outcome not stored
    Batch kept_ = {};                // a batch that could not be stored
    Batch spare_ = {};               // an empty one, with room
    std::vector<bool> hungry_ = {};  // by queue: a claim may find something
    SteadyPoint next_due_ = SteadyPoint::min();
    SteadyPoint next_poll_ = SteadyPoint::min();
    SteadyPoint next_check_ = SteadyPoint::min();  // of leases that name this node
    SteadyPoint wake_idle_at_ = SteadyPoint::max();
    SteadyPoint retry_at_ = SteadyPoint::min();  // while the store is away
    Duration pause_ = {};
    bool down_ = false;

    std::atomic<bool> look_ = true;
    std::atomic<Phase> wanted_phase_ = Phase::kWorking;
    mutable std::mutex mutex_;
    std::condition_variable idle_changed_;
    bool idle_ = false;   // guarded by mutex_
    bool ended_ = false;  // guarded by mutex_
    std::thread thread_;  // last
};

}  // namespace jobhost
