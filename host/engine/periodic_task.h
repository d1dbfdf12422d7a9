#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

#include "host/engine/storage_health.h"
#include "storage/clock.h"

namespace jobhost {

/// Calls `tick` on its own named thread, at once and then every `interval` (0: again and again, the
/// tick itself waits), until destroyed. A
/// StorageError of a tick is told to `health`, and the tick comes again.
class PeriodicTask {
public:
    using Tick = std::function<void(const std::stop_token&)>;

    PeriodicTask(const char* name, Duration interval, StorageHealth& health, Tick tick);
    void wake();
    void stop();

private:
    void loop(const std::stop_token& stop);

    const char* const name_;
    const Duration interval_;
    StorageHealth& health_;
    const Tick tick_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    bool woken_ = false;   // guarded by mutex_
    std::jthread thread_;  // last: starts when the rest is ready, stops and joins first
};

}  // namespace jobhost
