#pragma once

#include <functional>
#include <mutex>
#include <set>
#include <string>

#include "host/engine/job_events.h"
#include "storage/storage_error.h"

namespace jobhost {

/// Whether the store answers, as all threads of the node together see it: one event when the first
/// of them finds it away, one when the last of them is served again. Thread-safe.
/// A store that is damaged or was replaced ends the node: `fatal` is called, once.
class StorageHealth {
public:
    using Fatal = std::function<void(const std::string& what)>;

    explicit StorageHealth(JobEvents& events, Fatal fatal = {})
        : events_(events), fatal_(std::move(fatal)) {}

    void down(const char* who, const StorageError& error);
    void up(const char* who);

private:
    JobEvents& events_;
    const Fatal fatal_;
    std::once_flag fatal_called_;
    std::mutex mutex_;
    std::set<std::string> away_for_;  // guarded by mutex_
};

}  // namespace jobhost
