#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "storage/clock.h"

namespace jobhost {

/// Something that runs plugin code and has things to do at given times while it does: reaching a
/// time limit, warning about an ignored request to stop.
class Watched {
public:
    virtual ~Watched() = default;

    /// Does what is due at `now`, on the watchdog's thread, and answers when to look again.
    virtual SteadyPoint check(SteadyPoint now) = 0;
};

/// One thread that looks after everything that runs. A place per worker: entering and leaving one
/// costs a lock that nobody contends for, and the thread is only woken for something that is due
/// earlier than all it knew of.
class Watchdog {
public:
    explicit Watchdog(const Clock& clock);
    ~Watchdog();

    class Place {
    public:
        /// `first_look`: when `watched` has its first thing to do.
        void enter(std::shared_ptr<Watched> watched, SteadyPoint first_look);
        void leave();

    private:
        friend class Watchdog;
        explicit Place(Watchdog& watchdog) : watchdog_(watchdog) {}
        Watchdog& watchdog_;
        std::mutex mutex_;
        std::shared_ptr<Watched> watched_;  // guarded by mutex_
        SteadyPoint next_look_;             // guarded by mutex_
    };

    /// A place for one thread, until it gives it back. Thread-safe, as is the next.
    Place& take_place();
    void give_back(Place& place);

    /// Looks at everything now: something changed that is due earlier than was said.
    void look_now();

private:
    void loop(const std::stop_token& stop);
    SteadyPoint look(SteadyPoint now);
    void look_by(SteadyPoint time);

    const Clock& clock_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::vector<std::unique_ptr<Place>> places_;  // guarded by mutex_, as are the free ones
    std::vector<Place*> free_places_;
    std::atomic<SteadyPoint> next_look_;  // written under mutex_; read before taking it
    bool woken_ = false;                  // guarded by mutex_
    std::jthread thread_;                 // last: stops first
};

}  // namespace jobhost
