#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "storage/postgres/connection.h"

namespace jobhost::postgres {

/// The channel that listeners of a schema listen on.
std::string channel_of(const std::string& schema);

/// Wakes the listeners of all processes, without a payload, at most once per millisecond: each
/// notification takes a lock that all commits of the database share. What comes in between is
/// announced a moment later, by a thread and a connection that exist from the first such case on.
/// Thread-safe.
class Announcer {
public:
    explicit Announcer(const ConnectionOptions& connection);
    ~Announcer();
    Announcer(const Announcer&) = delete;
    Announcer& operator=(const Announcer&) = delete;

    /// What to send to the server behind the COMMIT of news; empty: announce_later() when it has
    /// committed.
    std::string text_if_due();

    /// Announces news that others can see by now. Before their commit it would be in vain: who is
    /// woken looks, finds nothing, and is not woken again.
    void announce_later();

private:
    void announce_owed(const std::stop_token& stop);

    const ConnectionOptions connection_;
    const std::string text_;
    std::mutex mutex_;
    std::condition_variable_any due_;
    SteadyPoint next_ = {};  // guarded by mutex_
    bool owed_ = false;      // guarded by mutex_
    std::jthread thread_;    // guarded by mutex_
};

}  // namespace jobhost::postgres
