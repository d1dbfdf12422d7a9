#include "host/engine/engine.h"

#include <algorithm>
#include <atomic>
#include <unistd.h>

#include "host/engine/dead_letter_pool.h"
#include "host/engine/dispatcher.h"
#include "host/engine/maintenance.h"
#include "host/engine/orphan_watcher.h"
#include "host/engine/periodic_task.h"
#include "host/engine/until_empty.h"
#include "storage/storage_error.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

constexpr Duration kFileBeat = 100ms;    // of the lock file's counter
constexpr Duration kWatchEvery = 200ms;  // orphans; a death on this machine is seen within 1 s
constexpr Duration kMaintainEvery = 2s;
constexpr Duration kListenAtMost = 1s;
constexpr auto kFlushWithin = 2s;  // at the end, with a store that is away

std::vector<std::string> queue_names(const EngineSettings& settings) {
    std::vector<std::string> names;
    for (const QueueSettings& queue : settings.queues) names.push_back(queue.name);
    return names;
}

NodeRegistration introduction(const EngineSettings& settings, const JobTypes& types) {
    NodeRegistration node;
    char host[256] = {};
    ::gethostname(host, sizeof host - 1);
    node.host = host;
    node.name = settings.node_name.empty() ? node.host : settings.node_name;
    node.service = settings.service;
    node.version = settings.version;
    node.pid = ::getpid();
    node.beat_interval = settings.beat_interval;
    node.beat_timeout = settings.beat_timeout;
    for (const LoadedType& type : types.types) {
        node.types.push_back({type.name, type.handler != nullptr});
    }
    node.queues = queue_names(settings);
    node.plugins = types.plugins;
    return node;
}

}  // namespace

/// The members are in dependency order: each uses only what stands before it.
class Engine::Impl {
public:
    Impl(EngineSettings settings, StoreHandle& store, const JobTypes& types, const Clock& clock,
         JobEvents& events, const EngineHooks& hooks);
    ~Impl();

    StopResult stop();
    void hurry() { hurried_.store(true); }
    UntilEmpty& until_empty() { return until_empty_; }
    NodeId node() const { return membership_.node(); }
    bool beats_on_time() const { return membership_.beats_on_time(); }
    void apply(EngineSettings settings);
    Asked enqueue(NewJob job) {
        return ask_to_enqueue(std::move(job), plans_.get()->settings, services_);
    }

private:
    void beat();
    void listen();
    bool wait_for_runs(Duration at_most, bool may_hurry);
    bool code_has_returned();
    bool release_stuck_threads();
    std::string still_open();

    const Clock& clock_;
    JobEvents& events_;
    const JobTypes& types_;
    CurrentPlan plans_;
    const Duration beat_interval_;
    SystemRandom random_ = {};
    WriteQueue writes_ = {};
    StorageHealth health_;
    const RunServices services_;
    Executor executor_;
    Watchdog watchdog_;
    Membership membership_;
    LockFileProof proof_ = {};
    PeriodicTask file_beat_;
    SteadyPoint beaten_at_;      // of the heartbeat's thread, as the next
    bool beat_is_late_ = false;  // and that was said
    DeadLetterPool dead_letters_;
    WorkerQueues queues_;
    std::unique_ptr<Dispatcher> dispatcher_ = {};
    OrphanWatcher orphan_watcher_;
    UntilEmpty until_empty_;
    Maintenance maintenance_;
    std::unique_ptr<ChangeListener> listener_;
    std::atomic<bool> hurried_ = false;
    bool stopped_ = false;
    PeriodicTask heartbeat_;
    PeriodicTask orphans_;
    PeriodicTask retention_;
    PeriodicTask listening_;
};

Engine::Impl::Impl(EngineSettings settings, StoreHandle& store, const JobTypes& types,
                   const Clock& clock, JobEvents& events, const EngineHooks& hooks)
    : clock_(clock),
      events_(events),
      types_(types),
      plans_(make_plan(std::move(settings), types)),
      beat_interval_(plans_.get()->settings.beat_interval),
      health_(events, hooks.fatal),
      services_{clock, events, writes_, health_},
      executor_(types, random_, services_),
      watchdog_(clock),
      membership_(store, introduction(plans_.get()->settings, types), clock, events),
      file_beat_("beat", kFileBeat, health_,
                 [this](const std::stop_token&) {
                     if (const auto file = membership_.file()) file->beat();
                 }),
      beaten_at_(clock.steady_now()),
      dead_letters_(plans_, types, store.open_session(), watchdog_, services_),
      queues_(executor_, watchdog_, services_),
      dispatcher_(std::make_unique<Dispatcher>(
          plans_, store.open_session(), membership_, queues_, executor_, services_,
          DispatcherHooks{[this](std::vector<OwedRun> owed) { dead_letters_.add(std::move(owed)); },
                          hooks.asked})),
      orphan_watcher_(plans_, store.open_session(),
                      {types, random_, clock, events, membership_, proof_,
                       [this](std::vector<OwedRun> owed) { dead_letters_.add(std::move(owed)); }}),
      until_empty_(store.open_session(),
                   {plans_, types, clock, events, membership_, proof_,
                    [this] { return dispatcher_->is_idle() && dead_letters_.is_idle(); },
                    [this](SteadyPoint until) { dispatcher_->wait_change(until); }}),
      maintenance_(plans_, store.open_session(), clock, events),
      listener_(store.open_listener()),
      heartbeat_("heartbeat", beat_interval_, health_, [this](const std::stop_token&) { beat(); }),
      orphans_("orphans", kWatchEvery, health_,
               [this](const std::stop_token&) { orphan_watcher_.look(); }),
      retention_("retention", kMaintainEvery, health_,
                 [this](const std::stop_token& stop) { maintenance_.tick(stop); }),
      listening_("listener", Duration(0), health_, [this](const std::stop_token&) { listen(); }) {}

Engine::Impl::~Impl() {
    if (!stopped_) stop();
}

void Engine::Impl::apply(EngineSettings settings) {
    const std::shared_ptr<const Plan> now = plans_.get();
    settings.service = now->settings.service;
    settings.node_name = now->settings.node_name;
    settings.version = now->settings.version;
    settings.beat_interval = now->settings.beat_interval;
    settings.beat_timeout = now->settings.beat_timeout;
    membership_.set_queues(queue_names(settings));
    plans_.set(make_plan(std::move(settings), types_));
    dispatcher_->look();
    dead_letters_.follow_plan();
    heartbeat_.wake();
}

void Engine::Impl::beat() {
    const SteadyPoint now = clock_.steady_now();
    const auto late = std::chrono::duration_cast<Duration>(now - beaten_at_) - beat_interval_;
    const bool is_late = late > beat_interval_ / 2;
    if (is_late && !beat_is_late_) events_.heartbeat_late(late);
    beat_is_late_ = is_late;
    const NodeId before = membership_.node();
    membership_.beat();
    beaten_at_ = clock_.steady_now();
    membership_.check_lock();
    if (membership_.node() != before) dispatcher_->look();
}

void Engine::Impl::listen() {
    if (listener_->wait(kListenAtMost)) dispatcher_->look();
}

// ---- the stop

bool Engine::Impl::wait_for_runs(Duration at_most, bool may_hurry) {
    const SteadyPoint until = clock_.steady_now() + at_most;
    while (clock_.steady_now() < until) {
        if (may_hurry && hurried_.load()) return dispatcher_->is_idle() && dead_letters_.is_idle();
        const bool idle =
            dispatcher_->wait_idle(std::min<SteadyPoint>(until, clock_.steady_now() + 50ms));
        if (idle &&
            dead_letters_.wait_ended(std::min<SteadyPoint>(until, clock_.steady_now() + 50ms))) {
            return dispatcher_->wait_idle(until);  // what the handlers left to store
        }
    }
    return false;
}

StopResult Engine::Impl::stop() {
    stopped_ = true;
    dispatcher_->stop_claiming();
    dead_letters_.close();
    const std::shared_ptr<const Plan> plan = plans_.get();
    const EngineSettings& settings = plan->settings;
    bool ended = wait_for_runs(settings.shutdown_grace, true);
    if (!ended) {
        events_.stop_phase(still_open() + " after shutdown.grace: asking jobs to stop");
        dispatcher_->ask_to_stop();
        dead_letters_.ask_to_stop();
        ended = wait_for_runs(settings.shutdown_cancel, false);
    }
    if (!ended) {
        events_.stop_phase(still_open() + " after shutdown.cancel: giving back what runs");
        dispatcher_->give_up_runs();
    }
    const bool flushed = dispatcher_->flush_and_end(clock_.steady_now() + kFlushWithin);
    writes_.close();
    if (!flushed) {
        // Others learn that we are gone by the lock file: leaving would give back jobs that have
        // ended. Nothing here may wait for the store any more.
        events_.note(LogLevel::kError,
                     "the store is away, so outcomes of jobs are lost with this process: those "
                     "jobs count as orphans, and run again or fail as their policy says");
        release_stuck_threads();
        return StopResult::kNotStored;
    }
    orphans_.stop();
    retention_.stop();
    listening_.request_stop();
    try {
        membership_.leave(plan->at_least_once);  // and wakes the listener
    } catch (const StorageError& error) {
        health_.down("stop", error);
    }
    listening_.stop();
    heartbeat_.stop();
    file_beat_.stop();
    return release_stuck_threads() ? StopResult::kCodeStillRuns : StopResult::kEnded;
}

/// True: there were some.
bool Engine::Impl::release_stuck_threads() {
    if (code_has_returned()) return false;
    queues_.release_threads();
    dead_letters_.release_threads();
    return true;
}

std::string Engine::Impl::still_open() {
    return code_has_returned() ? "outcomes are not stored" : "jobs still run";
}

/// Not the same as everything being stored: the store may be away, or a run have lost its lease.
bool Engine::Impl::code_has_returned() {
    return !queues_.is_running() && dead_letters_.wait_ended(clock_.steady_now());
}

Engine::Engine(EngineSettings settings, StoreHandle& store, const JobTypes& types,
               const Clock& clock, JobEvents& events, const EngineHooks& hooks)
    : impl_(std::make_unique<Impl>(std::move(settings), store, types, clock, events, hooks)) {}
Engine::~Engine() = default;

StopResult Engine::stop() {
    return impl_->stop();
}
void Engine::hurry() {
    impl_->hurry();
}
bool Engine::wait_until_empty(const std::function<bool()>& stopped) {
    return impl_->until_empty().wait(stopped);
}
Leftover Engine::leftover() {
    return impl_->until_empty().leftover();
}
void Engine::apply(EngineSettings settings) {
    impl_->apply(std::move(settings));
}
NodeId Engine::node() const {
    return impl_->node();
}

bool Engine::beats_on_time() const {
    return impl_->beats_on_time();
}
Asked Engine::enqueue(NewJob job) {
    return impl_->enqueue(std::move(job));
}

}  // namespace jobhost
