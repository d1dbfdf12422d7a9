#include "host/engine/watchdog.h"

#include <algorithm>

#include "host/engine/thread_name.h"

namespace jobhost {

Watchdog::Watchdog(const Clock& clock)
    : clock_(clock),
      next_look_(SteadyPoint::max()),
      thread_([this](const std::stop_token& stop) { loop(stop); }) {}

Watchdog::~Watchdog() = default;

void Watchdog::Place::enter(std::shared_ptr<Watched> watched, SteadyPoint first_look) {
    {
        const std::lock_guard lock(mutex_);
        watched_ = std::move(watched);
        next_look_ = first_look;
    }
    watchdog_.look_by(first_look);
}

void Watchdog::Place::leave() {
    std::shared_ptr<Watched> left;
    const std::lock_guard lock(mutex_);
    left.swap(watched_);
}

Watchdog::Place& Watchdog::take_place() {
    const std::lock_guard lock(mutex_);
    if (!free_places_.empty()) {
        Place& place = *free_places_.back();
        free_places_.pop_back();
        return place;
    }
    places_.push_back(std::unique_ptr<Place>(new Place(*this)));
    return *places_.back();
}

void Watchdog::give_back(Place& place) {
    const std::lock_guard lock(mutex_);
    free_places_.push_back(&place);
}

void Watchdog::look_now() {
    const std::lock_guard lock(mutex_);
    for (const auto& place : places_) {
        const std::lock_guard place_lock(place->mutex_);
        place->next_look_ = SteadyPoint::min();
    }
    next_look_ = SteadyPoint::min();
    woken_ = true;
    changed_.notify_one();
}

void Watchdog::look_by(SteadyPoint time) {
    // Most runs are due for a look later than others that started before: no lock for them.
    if (time >= next_look_.load()) return;
    const std::lock_guard lock(mutex_);
    if (time >= next_look_.load()) return;
    next_look_ = time;
    woken_ = true;
    changed_.notify_one();
}

void Watchdog::loop(const std::stop_token& stop) {
    name_this_thread("watchdog");
    while (!stop.stop_requested()) {
        const SteadyPoint next = look(clock_.steady_now());
        std::unique_lock lock(mutex_);
        next_look_ = std::min(next_look_.load(), next);
        // A clock moved by hand in tests wakes nobody: an hour is as good as for ever.
        const auto until =
            std::min(next_look_.load(), std::chrono::steady_clock::now() + std::chrono::hours(1));
        changed_.wait_until(lock, stop, until, [this] { return woken_; });
        woken_ = false;
    }
}

SteadyPoint Watchdog::look(SteadyPoint now) {
    std::vector<Place*> places;
    {
        const std::lock_guard lock(mutex_);
        next_look_ = SteadyPoint::max();
        for (const auto& place : places_) places.push_back(place.get());
    }
    SteadyPoint next = SteadyPoint::max();
    for (Place* place : places) {
        std::shared_ptr<Watched> due;
        {
            const std::lock_guard lock(place->mutex_);
            if (!place->watched_) continue;
            if (place->next_look_ > now) {
                next = std::min(next, place->next_look_);
                continue;
            }
            due = place->watched_;
        }
        const SteadyPoint again = due->check(now);
        const std::lock_guard lock(place->mutex_);
        if (place->watched_ != due) continue;
        place->next_look_ = again;
        next = std::min(next, again);
    }
    return next;
}

}  // namespace jobhost
