#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "host/api/overview.h"
#include "host/http/event_feed.h"
#include "host/http/store_sessions.h"
#include "host/observe/counters.h"

namespace jobhost::http {

/// The overview, made once for all who look at it: every 2 s while somebody does, on a thread of
/// its own. Also watches this node's latencies, whether or not somebody looks.
class OverviewFeed {
public:
    OverviewFeed(StoreSessions& sessions, const Counters& counters, std::string service,
                 std::string node);
    ~OverviewFeed();
    OverviewFeed(const OverviewFeed&) = delete;
    OverviewFeed& operator=(const OverviewFeed&) = delete;

    /// At most a second old.
    std::string document();

    const std::shared_ptr<EventFeed>& events() const { return events_; }

private:
    void work();

    StoreSessions& sessions_;
    const std::string service_;
    const std::string node_;
    const std::shared_ptr<EventFeed> events_;
    LatencyMinutes latency_;

    std::mutex mutex_;
    // Guarded by mutex_:
    api::OverviewFacts facts_ = {};  // the newest that the store gave
    std::string document_ = {};
    std::chrono::steady_clock::time_point made_at_ = {};

    std::jthread thread_;  // last
};

}  // namespace jobhost::http
