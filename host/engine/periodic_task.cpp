#include "host/engine/periodic_task.h"

#include <algorithm>

#include "host/engine/thread_name.h"
#include "storage/storage_error.h"

namespace jobhost {
namespace {

constexpr Duration kPauseAfterError = std::chrono::milliseconds(200);

}  // namespace

PeriodicTask::PeriodicTask(const char* name, Duration interval, StorageHealth& health, Tick tick)
    : name_(name),
      interval_(interval),
      health_(health),
      tick_(std::move(tick)),
      thread_([this](const std::stop_token& stop) { loop(stop); }) {}

void PeriodicTask::wake() {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    changed_.notify_one();
}

void PeriodicTask::stop() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
}

void PeriodicTask::loop(const std::stop_token& stop) {
    name_this_thread(name_);
    while (!stop.stop_requested()) {
        Duration pause = interval_;
        try {
            tick_(stop);
            health_.up(name_);
        } catch (const StorageError& error) {
            health_.down(name_, error.what());
            pause = std::max(pause, kPauseAfterError);
        }
        if (pause == Duration(0)) continue;
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, stop, pause, [this] { return woken_; });
        woken_ = false;
    }
}

}  // namespace jobhost
