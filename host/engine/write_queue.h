#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "storage/clock.h"
#include "storage/storage.h"

namespace jobhost {

class Run;

/// Something for the store, handed to the one thread that writes.
struct PendingWrite {
    Write write = {};
    std::shared_ptr<Run> run = {};  // RunReport: whose outcome it is
    bool late_success = false;      // RunReport: it ended well after its time limit
    std::string detail = {};        // RunReport: see Decision

    /// Called on the store thread with the answer; empty: nobody waits for it.
    std::function<void(const WriteAnswer&)> answered = {};

    /// Set for writes that somebody waits for: given up as kRefused when the store was away for so
    /// long. Outcomes of runs are never given up.
    std::optional<SteadyPoint> give_up_at = {};
};

/// What workers produced and the store thread has not taken yet. Thread-safe.
class WriteQueue {
public:
    /// False: closed, nothing was taken over.
    bool push(PendingWrite write);

    /// Pushes and waits for the answer. nullopt: closed, or given up after `patience`.
    std::optional<WriteAnswer> ask(Write write, const Clock& clock, Duration patience);

    /// Takes at most `most`, oldest first.
    std::vector<PendingWrite> take(std::size_t most);

    /// Waits until there is something, `wake` was called, or `until`.
    void wait_until(SteadyPoint until);
    void wake();
    void close();
    std::size_t size() const;

private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<PendingWrite> writes_;  // guarded by mutex_, as are the rest
    bool woken_ = false;
    bool waiting_ = false;
    bool closed_ = false;
};

}  // namespace jobhost
