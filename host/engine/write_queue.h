#pragma once

#include <condition_variable>
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

    /// `first`, and behind them as many as make it `most`, oldest first. An empty `first` lends its
    /// room to those that come next.
    std::vector<PendingWrite> take(std::size_t most, std::vector<PendingWrite> first = {});

    /// Waits until there is something, `wake` was called, or `until`.
    void wait_until(SteadyPoint until);
    void wake();
    void close();
    std::size_t size() const;

private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    // Not a deque: one of so big elements has an allocation for each, made by one thread and freed
    // by another.
    std::vector<PendingWrite> writes_;  // guarded by mutex_, as are the rest
    bool woken_ = false;
    bool waiting_ = false;
    bool closed_ = false;
};

}  // namespace jobhost
