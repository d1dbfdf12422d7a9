#include "host/engine/dead_letter_pool.h"

#include <algorithm>

#include "host/engine/thread_name.h"
#include "storage/storage_error.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

constexpr auto kWriteOffAfter = 10s;  // SPEC 7: after the request to stop
constexpr auto kAskPatience = 30s;
constexpr auto kReadAgainAfter = 200ms;

std::string describe(const ThrownError& error) {
    return error.error.type + ": " + error.error.message;
}

}  // namespace

/// What a running handler or forwarder sees of the host.
class DeadLetterPool::Call final : public PluginContext, public Watched {
public:
    Call(DeadLetterPool& pool, OwedRun run, std::shared_ptr<Group> rest, Phase phase,
         Duration limit)
        : pool_(pool),
          services_(pool.services_),
          run_(std::move(run)),
          rest_(std::move(rest)),
          phase_(phase),
          limit_at_(limit > Duration(0) ? services_.clock.steady_now() + limit
                                        : SteadyPoint::max()) {}

    void log(LogLevel level, std::string_view text) override {
        services_.events.dead_letter_logged(run_, level, text);
    }

    Asked enqueue(NewJob job) override {
        job.source = "job:" + std::to_string(run_.job);
        return ask_to_enqueue(std::move(job), pool_.plans_.get()->settings, services_);
    }

    StopCause stop_cause() override {
        const std::lock_guard lock(mutex_);
        return cause_;
    }

    StopCause wait(Duration at_most) override {
        std::unique_lock lock(mutex_);
        const auto until =
            std::chrono::steady_clock::now() + std::min(at_most, Duration(24h * 365));
        changed_.wait_until(lock, until, [this] { return cause_ != StopCause::kNone; });
        return cause_;
    }

    SteadyPoint limit_at() const { return limit_at_; }

    void request_stop(StopCause cause) {
        const std::lock_guard lock(mutex_);
        if (cause_ == StopCause::kNone) cause_ = cause;
        changed_.notify_all();
    }

    SteadyPoint check(SteadyPoint now) override {
        {
            const std::lock_guard lock(mutex_);
            if (ended_) return SteadyPoint::max();
            if (now < limit_at_) return limit_at_;
            if (cause_ == StopCause::kNone) cause_ = StopCause::kTimeout;
            changed_.notify_all();
            if (now < limit_at_ + kWriteOffAfter) return limit_at_ + kWriteOffAfter;
            ended_ = true;
        }
        services_.events.dead_letter_ignored_cancellation(run_);
        if (phase_ == Phase::kAsking) services_.writes.push({.write = StartDeadLetter{run_.run}});
        pool_.finish(run_, DeadLetterState::kTimedOut,
                     std::string(phase_ == Phase::kAsking ? "applies_to " : "") +
                         "did not return within dead_letter.timeout and 10 s more");
        pool_.replace_thread(rest_);
        return SteadyPoint::max();
    }

    /// False: written off meanwhile; the thread has been replaced and must end.
    bool end() {
        const std::lock_guard lock(mutex_);
        if (ended_) return false;
        ended_ = true;
        return true;
    }

private:
    DeadLetterPool& pool_;
    const RunServices& services_;
    const OwedRun run_;
    const std::shared_ptr<Group> rest_;
    const Phase phase_;
    const SteadyPoint limit_at_;
    std::mutex mutex_;
    std::condition_variable changed_;
    StopCause cause_ = StopCause::kNone;  // guarded by mutex_
    bool ended_ = false;                  // guarded by mutex_
};

DeadLetterPool::DeadLetterPool(const CurrentPlan& plans, const JobTypes& types,
                               std::unique_ptr<Store> session, Watchdog& watchdog,
                               const RunServices& services)
    : plans_(plans),
      types_(types),
      watchdog_(watchdog),
      services_(services),
      session_(std::move(session)) {
    follow_plan();
}

DeadLetterPool::~DeadLetterPool() {
    close();
    threads_.join();
}

void DeadLetterPool::follow_plan() {
    const int wanted = plans_.get()->settings.dead_letter_workers;
    const std::lock_guard lock(mutex_);
    wanted_ = wanted;
    while (alive_ < wanted_ && !closed_) add_thread();
    changed_.notify_all();
}

void DeadLetterPool::add_thread() {
    ++alive_;
    threads_.start([this] {
        name_this_thread("deadletter");
        Watchdog::Place& place = watchdog_.take_place();
        work(place);
        watchdog_.give_back(place);
    });
}

void DeadLetterPool::add(std::vector<OwedRun> runs) {
    // Runs of one job come one after the other, since they were made together.
    std::ranges::stable_sort(runs, {},
                             [](const OwedRun& run) { return std::pair(run.job, run.run); });
    const std::lock_guard lock(mutex_);
    JobId last = 0;
    for (OwedRun& run : runs) {
        if (run.job != last || groups_.empty()) groups_.emplace_back();
        last = run.job;
        groups_.back().push_back(std::move(run));
    }
    changed_.notify_all();
}

bool DeadLetterPool::is_idle() const {
    const std::lock_guard lock(mutex_);
    return groups_.empty() && busy_ == 0;
}

bool DeadLetterPool::take(Group& group) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || is_surplus() || !groups_.empty(); });
    if (closed_) return false;
    if (is_surplus()) {
        --alive_;
        return false;
    }
    group = std::move(groups_.front());
    groups_.pop_front();
    ++busy_;
    return true;
}

void DeadLetterPool::work(Watchdog::Place& place) {
    Group group;
    while (take(group)) {
        const auto rest = std::make_shared<Group>(std::move(group));
        while (true) {
            OwedRun run;
            {
                const std::lock_guard lock(mutex_);
                if (rest->empty() || closed_) break;
                run = std::move(rest->front());
                rest->pop_front();
            }
            if (!run_one(run, place, rest)) return end_written_off();
        }
        const std::lock_guard lock(mutex_);
        --busy_;
        changed_.notify_all();
    }
}

/// False: the thread was written off while it ran the code.
bool DeadLetterPool::run_one(const OwedRun& run, Watchdog::Place& place,
                             const std::shared_ptr<Group>& rest) {
    // Read first: a store that cannot be read must not leave a started run that never ran.
    const std::optional<Job> job = read_job(run.job);
    if (!job) return true;  // deleted, and the run with it; or stopping: it stays owed
    if (run.kind == DeadLetterKind::kForwarder) {
        const Applies answer = applies(run, *job, place, rest);
        if (answer != Applies::kYes) return answer == Applies::kNo;
    }
    if (!start(run)) return true;
    const auto context = enter(run, place, rest, Phase::kRunning);
    services_.events.dead_letter_started(run);
    std::string error;
    const DeadLetterState state = call(run, *job, *context, error);
    place.leave();
    if (!context->end()) return false;
    if (state == DeadLetterState::kFailed && is_interrupted(run, *context)) {
        // Left as started: the next owner runs it again, as if this node had died.
        services_.events.dead_letter_finished(run, DeadLetterState::kInterrupted, error);
        return true;
    }
    finish(run, state, error);
    return true;
}

/// What is asked of a forwarder before its run starts; a kNo is already said to the store.
DeadLetterPool::Applies DeadLetterPool::applies(const OwedRun& run, const Job& job,
                                                Watchdog::Place& place,
                                                const std::shared_ptr<Group>& rest) {
    const LoadedForwarder* forwarder = types_.find_forwarder(run.name);
    if (forwarder == nullptr) {  // adopted from a node that had more plugins
        finish(run, DeadLetterState::kNotApplicable, "not loaded on the node that took it over");
        return Applies::kNo;
    }
    const auto context = enter(run, place, rest, Phase::kAsking);
    const auto answer = forwarder->forward->applies_to(job);
    place.leave();
    if (!context->end()) return Applies::kWrittenOff;
    if (const auto* wrong = std::get_if<ThrownError>(&answer)) {
        if (start(run)) {
            finish(run, DeadLetterState::kFailed, "applies_to: " + describe(*wrong));
        }
        return Applies::kNo;
    }
    if (std::get<bool>(answer)) return Applies::kYes;
    finish(run, DeadLetterState::kNotApplicable, "");
    return Applies::kNo;
}

/// From here on the watchdog looks after the plugin's code that this thread calls next.
std::shared_ptr<DeadLetterPool::Call> DeadLetterPool::enter(const OwedRun& run,
                                                            Watchdog::Place& place,
                                                            const std::shared_ptr<Group>& rest,
                                                            Phase phase) {
    const auto context =
        std::make_shared<Call>(*this, run, rest, phase, plans_.get()->settings.dead_letter_timeout);
    {
        const std::lock_guard lock(mutex_);
        std::erase_if(calls_, [](const std::weak_ptr<Call>& ended) { return ended.expired(); });
        calls_.push_back(context);
    }
    place.enter(context, context->limit_at());
    return context;
}

/// It broke off because the node stops, and may run again.
bool DeadLetterPool::is_interrupted(const OwedRun& run, Call& context) const {
    const auto plan = plans_.get();
    return context.stop_cause() == StopCause::kShutdown &&
           std::ranges::find(plan->at_least_once, run.type) != plan->at_least_once.end();
}

std::optional<Job> DeadLetterPool::read_job(JobId job) {
    while (true) {
        try {
            const std::lock_guard lock(session_mutex_);
            return session_->find_job(job);
        } catch (const StorageError&) {  // said by the store thread; the run stays owed meanwhile
            std::unique_lock lock(mutex_);
            if (changed_.wait_for(lock, kReadAgainAfter, [this] { return closed_; })) {
                return std::nullopt;
            }
        }
    }
}

DeadLetterState DeadLetterPool::call(const OwedRun& run, const Job& job, Call& context,
                                     std::string& error) {
    std::optional<ThrownError> wrong;
    if (run.kind == DeadLetterKind::kHandler) {
        const LoadedType* type = types_.find(run.name);
        if (type == nullptr || !type->handler) {
            error = "this node has no handler for the type any more";
            return DeadLetterState::kFailed;
        }
        wrong = type->handler->handle(job, context);
    } else {
        wrong = types_.find_forwarder(run.name)->forward->forward(job, context);
    }
    if (!wrong) return DeadLetterState::kSucceeded;
    error = describe(*wrong);
    return DeadLetterState::kFailed;
}

bool DeadLetterPool::start(const OwedRun& run) {
    while (true) {
        const auto answer =
            services_.writes.ask(StartDeadLetter{run.run}, services_.clock, kAskPatience);
        if (answer) return answer->outcome == WriteAnswer::Outcome::kStored;
        // The store is away: the run is still owed by this node, which asks again.
        std::unique_lock lock(mutex_);
        if (changed_.wait_for(lock, kReadAgainAfter, [this] { return closed_; })) return false;
    }
}

void DeadLetterPool::finish(const OwedRun& run, DeadLetterState state, const std::string& error) {
    services_.writes.push({.write = FinishDeadLetter{run.run, state, error}});
    services_.events.dead_letter_finished(run, state, error);
}

void DeadLetterPool::replace_thread(const std::shared_ptr<Group>& rest) {
    const std::lock_guard lock(mutex_);
    --busy_;
    --alive_;
    if (!rest->empty()) groups_.push_front(std::exchange(*rest, {}));
    if (written_off_ < kMaxReplaced && alive_ < wanted_ && !closed_) add_thread();
    ++written_off_;
    changed_.notify_all();
}

/// Its code returned at last; another thread works in its place.
void DeadLetterPool::end_written_off() {
    const std::lock_guard lock(mutex_);
    --written_off_;
    changed_.notify_all();
}

void DeadLetterPool::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
}

void DeadLetterPool::ask_to_stop() {
    std::vector<std::weak_ptr<Call>> calls;
    {
        const std::lock_guard lock(mutex_);
        calls = calls_;
    }
    for (const auto& weak : calls) {
        if (const auto running = weak.lock()) running->request_stop(StopCause::kShutdown);
    }
}

bool DeadLetterPool::wait_ended(SteadyPoint until) {
    std::unique_lock lock(mutex_);
    return changed_.wait_until(lock, until, [this] { return busy_ == 0 && written_off_ == 0; });
}

void DeadLetterPool::release_threads() {
    const std::lock_guard lock(mutex_);
    threads_.detach();
}

}  // namespace jobhost
