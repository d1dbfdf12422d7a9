#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace jobhost::http {

/// Hands the same events to all who listen. Every event says everything, so whoever is slow or
/// comes late misses nothing by getting only the newest one. Thread-safe.
class EventFeed {
public:
    using Text = std::shared_ptr<const std::string>;
    using Listener = std::function<void(const Text& event)>;

    explicit EventFeed(std::size_t most_listeners) : most_listeners_(most_listeners) {}

    /// A number for `leave`; 0 when too many listen already. `listener` is called by the thread
    /// that publishes, must be quick, and may still be called while `leave` runs.
    std::uint64_t listen(Listener listener);
    void leave(std::uint64_t number);

    /// `event` as it goes over the line, its blank line at the end included.
    void publish(std::string event);

    /// Waits until somebody new listens, at most that long. False: nobody new.
    bool wait_for_news(std::chrono::milliseconds at_most);
    bool is_heard() const;
    bool is_full() const;

    /// Ends a wait now, and any later one.
    void close();

private:
    const std::size_t most_listeners_;
    mutable std::mutex mutex_;
    std::condition_variable came_;
    // Guarded by mutex_:
    std::map<std::uint64_t, Listener> listeners_;
    std::uint64_t last_number_ = 0;
    bool has_new_one_ = false;
    bool closed_ = false;
};

/// `event: NAME`, `data: DATA` and the blank line. `data` has no line ends.
std::string event_text(const std::string& name, const std::string& data);

}  // namespace jobhost::http
