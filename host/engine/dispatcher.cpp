#include "host/engine/dispatcher.h"

#include <algorithm>

#include "host/engine/thread_name.h"
#include "storage/overloaded.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMaxBatch = 1000;  // beyond that a bigger group gains nothing
constexpr auto kPoll = 1s;               // the safety net behind the wake-up
constexpr auto kWakeIdleAfter = 1ms;
constexpr Duration kFirstPause = 50ms;  // while the store is away

}  // namespace

Dispatcher::Dispatcher(const CurrentPlan& plans, std::unique_ptr<Store> session,
                       Membership& membership, WorkerQueues& queues, Executor& executor,
                       const RunServices& services, DispatcherHooks hooks)
    : plans_(plans),
      session_(std::move(session)),
      membership_(membership),
      all_queues_(queues),
      executor_(executor),
      services_(services),
      hooks_(std::move(hooks)),
      node_(membership.node()) {
    follow_plan();
    next_check_ = services_.clock.steady_now() + kCheckLeasesEvery;
    thread_ = std::thread([this] { loop(); });
}

Dispatcher::~Dispatcher() {
    wanted_phase_.store(Phase::kEnding);
    services_.writes.wake();
    thread_.join();
}

void Dispatcher::look() {
    look_.store(true);
    services_.writes.wake();
}

void Dispatcher::loop() {
    name_this_thread("store");
    while (true) {
        const SteadyPoint again = step();
        publish_idle();
        if (phase_ == Phase::kEnding && (kept_.empty() && services_.writes.size() == 0)) break;
        if (phase_ == Phase::kEnding && down_) break;
        services_.writes.wait_until(again);
    }
    const std::lock_guard lock(mutex_);
    ended_ = true;
    idle_changed_.notify_all();
}

/// What has not started goes back first: it is claimed again by the new rules, and a queue that is
/// left with fewer workers holds nothing that other nodes could run.
void Dispatcher::follow_plan() {
    std::shared_ptr<const Plan> plan = plans_.get();
    if (plan == plan_) return;
    give_back_unstarted();
    plan_ = std::move(plan);
    queues_ = all_queues_.follow(*plan_);
    hungry_.assign(queues_.size(), true);
    session_->set_claim_plan(claim_plan(*plan_));
}

SteadyPoint Dispatcher::step() {
    const SteadyPoint now = services_.clock.steady_now();
    follow_plan();
    if (const Phase wanted = wanted_phase_.load(); wanted != phase_) enter_phase(wanted);
    if (down_ && now < retry_at_ && phase_ != Phase::kEnding) return retry_at_;
    if (node_ != membership_.node()) drop_lost_leases();
    if (!membership_.may_claim() && active_.empty() && phase_ == Phase::kWorking) replace_lock();
    give_back_stale(now);
    if (now >= wake_idle_at_) {
        wake_idle_at_ = SteadyPoint::max();
        for (const auto& queue : queues_) queue->wake_idle();
    }

    Batch batch = std::move(kept_.empty() ? spare_ : kept_);
    kept_.clear();
    batch = services_.writes.take(kMaxBatch, std::move(batch));
    drop_dead_writes(batch);

    const bool news = look_.exchange(false) || now >= next_poll_ || now >= next_due_;
    if (news) {
        all_hungry();
        next_poll_ = now + kPoll;
        next_due_ = SteadyPoint::max();
    }
    const std::vector<Demand> wanted = demands();
    if (!batch.empty() || !wanted.empty() || news) {
        if (!exchange(batch, wanted)) return retry_at_;
    }
    batch.clear();
    spare_ = std::move(batch);
    if (now >= next_check_) give_back_unknown();
    if (services_.writes.size() > 0) return SteadyPoint::min();

    SteadyPoint again = std::min({next_poll_, next_due_, wake_idle_at_});
    for (const auto& queue : queues_) {
        if (queue->ready() > 0) again = std::min<SteadyPoint>(again, now + kGiveBackAfter);
    }
    return again;
}

void Dispatcher::all_hungry() {
    std::fill(hungry_.begin(), hungry_.end(), true);
}

void Dispatcher::replace_lock() {
    try {
        membership_.replace_lock();
        node_ = membership_.node();
        all_hungry();
    } catch (const StorageError& error) {
        exchange_failed(std::move(kept_), error);
    }
}

void Dispatcher::renew() {
    try {
        membership_.renew(node_);
    } catch (const StorageError& error) {
        return exchange_failed(std::move(kept_), error);
    }
    drop_lost_leases();
}

// ---- what to take

std::vector<Demand> Dispatcher::demands() {
    std::vector<Demand> wanted;
    if (phase_ != Phase::kWorking || !membership_.may_claim()) return wanted;
    for (std::size_t i = 0; i < queues_.size(); ++i) {
        if (!hungry_[i]) continue;
        const int free = queues_[i]->free();
        const int ready = queues_[i]->ready();
        // Refilled from half on: many small claims cost more than one.
        const int target = queues_[i]->wanted_ready();
        const int prefetch = ready * 2 <= target ? target - ready : 0;
        if (free > 0 || prefetch > 0) wanted.push_back({i, free, prefetch});
    }
    return wanted;
}

void Dispatcher::take_claimed(std::vector<ClaimedJob> claimed, const std::vector<Demand>& wanted) {
    const SteadyPoint now = services_.clock.steady_now();
    const std::shared_ptr<NodeFile> file = membership_.file();
    std::vector<std::vector<std::shared_ptr<Run>>> runs(queues_.size());
    for (ClaimedJob& job : claimed) {
        const std::size_t queue = job.queue;
        auto run = std::make_shared<Run>(std::move(job), plan_, services_, now);
        run->node_file = file;
        active_[run->job().lease.job] = run;
        runs[queue].push_back(std::move(run));
    }
    for (const Demand& demand : wanted) {
        auto& own = runs[demand.queue];
        const auto count = static_cast<int>(own.size());
        for (int i = demand.free; i < count; ++i) {
            own[static_cast<std::size_t>(i)]->is_prefetched = true;
        }
        // Fewer than could have started: there is nothing more until somebody says so.
        if (demand.free > 0 && count < demand.free) hungry_[demand.queue] = false;
        if (own.empty()) continue;
        if (queues_[demand.queue]->put(std::move(own))) wake_idle_at_ = now + kWakeIdleAfter;
    }
}

// ---- the exchange

bool Dispatcher::exchange(Batch& batch, const std::vector<Demand>& wanted) {
    std::vector<Write> writes;
    writes.reserve(batch.size());
    for (PendingWrite& pending : batch) writes.push_back(std::move(pending.write));
    const SteadyPoint start = services_.clock.steady_now();
    Exchanged done;
    try {
        done = session_->exchange(node_, writes, wanted);
    } catch (const StorageError& error) {
        for (std::size_t i = 0; i < batch.size(); ++i) batch[i].write = std::move(writes[i]);
        exchange_failed(std::move(batch), error);
        return false;
    }
    if (down_) {
        down_ = false;
        pause_ = {};
        next_check_ = start;  // who knows what happened meanwhile
        services_.health.up("store");
    }
    if (!done.node_alive) {
        for (std::size_t i = 0; i < batch.size(); ++i) batch[i].write = std::move(writes[i]);
        kept_ = std::move(batch);
        renew();
        return true;
    }
    std::vector<OwedRun> owed;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        answer(batch[i], writes[i], done.answers[i], owed);
    }
    const std::size_t claimed = done.claimed.size();
    take_claimed(std::move(done.claimed), wanted);
    if (done.next_due) {
        next_due_ =
            services_.clock.steady_now() + std::max(*done.next_due - session_->now(), Duration(0));
    }
    if (!owed.empty()) hooks_.owed(std::move(owed));
    for (const NodeRequest& request : done.requests) serve(request);
    for (const std::string& row : done.broken) services_.events.note(LogLevel::kError, row);
    services_.events.batch_stored(
        batch.size(), claimed,
        std::chrono::duration_cast<Duration>(services_.clock.steady_now() - start));
    return true;
}

void Dispatcher::exchange_failed(Batch batch, const StorageError& error) {
    const SteadyPoint now = services_.clock.steady_now();
    services_.health.down("store", error);
    down_ = true;
    pause_ = std::clamp<Duration>(pause_ * 2, kFirstPause, plan_->settings.beat_interval);
    retry_at_ = now + pause_;
    std::erase_if(batch, [&](const PendingWrite& write) {
        return write.give_up_at && now >= *write.give_up_at;
    });
    kept_ = std::move(batch);
}

// ---- answers

void Dispatcher::answer(PendingWrite& write, const Write& stored, WriteAnswer& given,
                        std::vector<OwedRun>& owed) {
    if (write.run) answer_report(write, std::get<RunReport>(stored), given, owed);
    if (const auto* jobs = std::get_if<EnqueueJobs>(&stored);
        jobs != nullptr && given.outcome == WriteAnswer::Outcome::kStored) {
        all_hungry();
    }
    if (write.answered) write.answered(given);
}

void Dispatcher::answer_report(PendingWrite& write, const RunReport& report, WriteAnswer& given,
                               std::vector<OwedRun>& owed) {
    const auto active = active_.find(report.lease.job);
    const bool is_ours = active != active_.end() && active->second == write.run;
    switch (given.outcome) {
        case WriteAnswer::Outcome::kRefused: return refused(write, report, given);
        case WriteAnswer::Outcome::kLeaseLost: services_.events.lease_lost(write.run->ref()); break;
        case WriteAnswer::Outcome::kStored:
            say_outcome(write, report, given);
            std::ranges::move(given.owed, std::back_inserter(owed));
            // What is due again at once may be claimed at once.
            if (!is_terminal(given.state) || !given.enqueued.empty()) {
                all_hungry();
            }
            break;
    }
    if (is_ours) active_.erase(active);
}

/// An outcome that can never be stored as it is (a job that its code wanted to enqueue has a key
/// that is taken, say) is the run's failure.
void Dispatcher::refused(const PendingWrite& write, const RunReport& report,
                         const WriteAnswer& given) {
    services_.events.write_refused(write.run->ref(), given.reason);
    if (!std::holds_alternative<Succeed>(report.next)) {
        active_.erase(report.lease.job);  // given back as an unknown lease
        next_check_ = SteadyPoint::min();
        return;
    }
    RunEnd end;
    end.result =
        Threw{host_error(kPluginContractError, "its success could not be stored: " + given.reason)};
    services_.writes.push(executor_.outcome(write.run, end));
}

void Dispatcher::say_outcome(const PendingWrite& write, const RunReport& report,
                             const WriteAnswer& given) {
    const RunRef run = write.run->ref();
    JobEvents& events = services_.events;
    if (write.late_success) events.late_success(run);
    if (given.state == JobState::kCancelled && !std::holds_alternative<Cancel>(report.next)) {
        return events.job_cancelled(run, "cancelled by an operator");
    }
    std::visit(
        Overloaded{
            [&](const Succeed&) {
                events.job_succeeded(
                    run, std::chrono::duration_cast<Duration>(services_.clock.steady_now() -
                                                              write.run->began_at()));
            },
            [&](const Retry& retry) { events.job_retried(run, retry.why, retry.delay); },
            [&](const Snooze& snooze) { events.job_snoozed(run, snooze.delay); },
            [&](const Release&) { events.job_released(run, "not finished here"); },
            [&](const Fail& fail) { events.job_failed(run, fail.why, fail.reason, write.detail); },
            [&](const Cancel& cancel) { events.job_cancelled(run, cancel.reason); },
            [&](const Expire&) { events.job_expired(run.job, run.type); },
        },
        report.next);
}

void Dispatcher::serve(const NodeRequest& request) {
    switch (request.kind) {
        case NodeRequest::Kind::kReload:
        case NodeRequest::Kind::kExplain:
            if (hooks_.asked) hooks_.asked(request);
            return;
        case NodeRequest::Kind::kCancelJob: {
            const auto active = active_.find(request.job);
            if (active == active_.end() || active->second->fence() != request.fence) return;
            active->second->request_stop(StopCause::kOperator, request.by);
            return;
        }
    }
}

void Dispatcher::publish_idle() {
    const bool idle = active_.empty() && kept_.empty() && services_.writes.size() == 0;
    const std::lock_guard lock(mutex_);
    if (idle == idle_) return;
    idle_ = idle;
    idle_changed_.notify_all();
}

bool Dispatcher::is_idle() const {
    const std::lock_guard lock(mutex_);
    return idle_;
}

bool Dispatcher::wait_idle(SteadyPoint until) {
    std::unique_lock lock(mutex_);
    return idle_changed_.wait_until(lock, until, [this] { return idle_ || ended_; });
}

void Dispatcher::wait_change(SteadyPoint until) {
    std::unique_lock lock(mutex_);
    idle_changed_.wait_until(lock, until, [this, was = idle_] { return idle_ != was; });
}

}  // namespace jobhost
