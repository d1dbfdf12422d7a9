#pragma once

#include <mutex>
#include <set>
#include <string>

#include "host/engine/job_events.h"

namespace jobhost {

/// Whether the store answers, as all threads of the node together see it: one event when the first
/// of them finds it away, one when the last of them is served again. Thread-safe.
class StorageHealth {
public:
    explicit StorageHealth(JobEvents& events) : events_(events) {}

    void down(const char* who, const std::string& what);
    void up(const char* who);

private:
    JobEvents& events_;
    std::mutex mutex_;
    std::set<std::string> away_for_;  // guarded by mutex_
};

}  // namespace jobhost
