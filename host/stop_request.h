#pragma once

#include <condition_variable>
#include <mutex>
#include <string>

#include "storage/clock.h"

namespace jobhost {

/// Why and when the host shall end; the first reason stays. Thread-safe.
class StopRequest {
public:
    /// `status`: the process's exit status. True when this was the first request.
    bool request(const std::string& why, int status);

    bool requested() const;

    /// Blocks until somebody asks.
    void wait() const;

    std::string why() const;
    int status() const;

    /// The start is over, well or not: from here on the main thread obeys requests.
    void start_is_over();

    /// True when the start was over within this time.
    bool wait_for_start(Duration at_most) const;

private:
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    bool requested_ = false;  // this and all below: guarded by mutex_
    bool start_over_ = false;
    std::string why_;
    int status_ = 0;
};

}  // namespace jobhost
