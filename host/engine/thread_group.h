#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace jobhost {

/// Threads that come and go. Not thread-safe: its owner's lock guards it.
class ThreadGroup {
public:
    ThreadGroup() = default;
    ~ThreadGroup() { join(); }
    ThreadGroup(const ThreadGroup&) = delete;
    ThreadGroup& operator=(const ThreadGroup&) = delete;

    /// Also joins those that have ended, so that their number stays bounded.
    void start(std::function<void()> body);

    /// Waits for all of them.
    void join();

    /// For a process that ends by _exit: leaves them alone.
    void detach();

private:
    struct Member {
        std::thread thread = {};
        std::shared_ptr<std::atomic<bool>> ended = {};  // the last that the thread does
    };
    void reap();

    std::vector<Member> members_ = {};
};

}  // namespace jobhost
