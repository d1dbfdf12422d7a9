#include "host/engine/worker_queue.h"

#include <algorithm>
#include <cmath>

#include "host/engine/thread_name.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

constexpr double kPrefetchBelowUs = 5000;   // SPEC 4: mean run under 5 ms
constexpr double kPrefetchWorkUs = 20'000;  // about 20 ms of work
constexpr int kMaxReady = 1000;
constexpr double kMeanWeight = 1.0 / 16;
constexpr double kWorthWakingUs = 100;  // waking a thread costs about as much as this much work

}  // namespace

WorkerQueue::WorkerQueue(std::string name, int workers, Executor& executor, Watchdog& watchdog,
                         const RunServices& services)
    : name_(std::move(name)), executor_(executor), watchdog_(watchdog), services_(services) {
    set_workers(workers);
}

WorkerQueue::~WorkerQueue() {
    close();
    threads_.join();
}

void WorkerQueue::set_workers(int workers) {
    const std::lock_guard lock(mutex_);
    workers_ = workers;
    while (alive_ < workers_ && !closed_) add_worker();
    changed_.notify_all();
}

void WorkerQueue::add_worker() {
    threads_.start([this, number = alive_++] {
        name_this_thread(("w" + std::to_string(number) + "." + name_).substr(0, 15).c_str());
        Watchdog::Place& place = watchdog_.take_place();
        work(place);
        watchdog_.give_back(place);
    });
}

void WorkerQueue::work(Watchdog::Place& place) {
    while (const std::shared_ptr<Run> run = next()) {
        const SteadyPoint start = services_.clock.steady_now();
        std::optional<PendingWrite> write = executor_.execute(run, place);
        // Free before the outcome is handed over: whoever sees the outcome may count on this
        // worker.
        done(std::chrono::duration_cast<Duration>(services_.clock.steady_now() - start));
        if (write) {
            services_.writes.push(*std::move(write));
        } else {
            services_.writes.wake();
        }
    }
}

std::shared_ptr<Run> WorkerQueue::next() {
    std::unique_lock lock(mutex_);
    ++idle_;
    changed_.wait(lock, [this] { return closed_ || alive_ > workers_ || !ready_.empty(); });
    --idle_;
    if (closed_) return nullptr;
    if (alive_ > workers_) {
        --alive_;
        changed_.notify_one();  // what woke this one is for another
        return nullptr;
    }
    std::shared_ptr<Run> run = std::move(ready_.front());
    ready_.pop_front();
    ++busy_;
    return run;
}

void WorkerQueue::done(Duration took) {
    const std::lock_guard lock(mutex_);
    --busy_;
    const auto us = static_cast<double>(took.count());
    mean_run_us_ = measured_ ? mean_run_us_ + (us - mean_run_us_) * kMeanWeight : us;
    measured_ = true;
    stuck_ = false;
}

int WorkerQueue::workers_to_wake(int added) const {
    if (!measured_ || mean_run_us_ >= kWorthWakingUs) return std::min(added, idle_);
    const double work_us = mean_run_us_ * static_cast<double>(ready_.size());
    return std::clamp(static_cast<int>(work_us / kWorthWakingUs), 1, std::max(idle_, 1));
}

bool WorkerQueue::put(std::vector<std::shared_ptr<Run>> runs) {
    int wake = 0;
    bool some_sleep = false;
    {
        const std::lock_guard lock(mutex_);
        for (auto& run : runs) ready_.push_back(std::move(run));
        wake = workers_to_wake(static_cast<int>(runs.size()));
        some_sleep = wake < std::min(idle_, static_cast<int>(ready_.size()));
    }
    for (int i = 0; i < wake; ++i) changed_.notify_one();
    return some_sleep;
}

int WorkerQueue::free() const {
    const std::lock_guard lock(mutex_);
    if (closed_) return 0;
    return std::max(0, workers_ - busy_ - static_cast<int>(ready_.size()));
}

bool WorkerQueue::is_running() const {
    const std::lock_guard lock(mutex_);
    return busy_ > 0;
}

int WorkerQueue::ready() const {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(ready_.size());
}

int WorkerQueue::wanted_ready() const {
    const std::lock_guard lock(mutex_);
    if (closed_ || stuck_ || !measured_ || mean_run_us_ >= kPrefetchBelowUs) return 0;
    const double wanted = workers_ * kPrefetchWorkUs / std::max(mean_run_us_, 1.0);
    return static_cast<int>(std::min(wanted, static_cast<double>(kMaxReady)));
}

std::vector<std::shared_ptr<Run>> WorkerQueue::take_back() {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<Run>> taken(std::make_move_iterator(ready_.begin()),
                                            std::make_move_iterator(ready_.end()));
    ready_.clear();
    return taken;
}

std::vector<std::shared_ptr<Run>> WorkerQueue::take_back_prefetched(SteadyPoint claimed_by) {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<Run>> taken;
    std::erase_if(ready_, [&](std::shared_ptr<Run>& run) {
        if (!run->is_prefetched || run->claimed_at() > claimed_by) return false;
        taken.push_back(std::move(run));
        return true;
    });
    if (!taken.empty()) stuck_ = true;
    return taken;
}

void WorkerQueue::wake_idle() {
    const std::lock_guard lock(mutex_);
    if (!ready_.empty() && idle_ > 0) changed_.notify_all();
}

void WorkerQueue::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
}

void WorkerQueue::release_threads() {
    close();
    threads_.detach();
}

}  // namespace jobhost
