#pragma once

#include <functional>
#include <stop_token>
#include <thread>

namespace jobhost {

/// Blocks SIGTERM, SIGINT and SIGHUP for this thread and all that it will start. Before the first
/// thread, so that no plugin's thread can be hit.
void block_signals();

/// Reads the blocked signals on a thread of its own (`signals`), so that a second one is seen while
/// the first is being obeyed, and one during a slow start, too.
class Signals {
public:
    struct Handlers {
        std::function<void(int signal)> stop = {};  // each SIGTERM or SIGINT
        std::function<void()> reload = {};          // SIGHUP
    };

    /// The handlers run on that thread. Throws std::system_error.
    explicit Signals(Handlers handlers);
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

private:
    void read_signals(const std::stop_token& stop);

    const Handlers handlers_;
    int signal_fd_ = -1;
    int wake_fd_ = -1;
    std::jthread thread_;
};

}  // namespace jobhost
