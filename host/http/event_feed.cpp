#include "host/http/event_feed.h"

#include <utility>

namespace jobhost::http {

std::uint64_t EventFeed::listen(Listener listener) {
    const std::lock_guard lock(mutex_);
    if (listeners_.size() >= most_listeners_ || closed_) return 0;
    listeners_.emplace(++last_number_, std::move(listener));
    has_new_one_ = true;
    came_.notify_all();
    return last_number_;
}

void EventFeed::leave(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    listeners_.erase(number);
}

void EventFeed::publish(std::string event) {
    const Text text = std::make_shared<const std::string>(std::move(event));
    const std::lock_guard lock(mutex_);
    for (const auto& [number, listener] : listeners_) listener(text);
}

bool EventFeed::wait_for_news(std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    came_.wait_for(lock, at_most, [this] { return has_new_one_ || closed_; });
    return std::exchange(has_new_one_, false);
}

bool EventFeed::is_heard() const {
    const std::lock_guard lock(mutex_);
    return !listeners_.empty();
}

bool EventFeed::is_full() const {
    const std::lock_guard lock(mutex_);
    return listeners_.size() >= most_listeners_;
}

void EventFeed::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    came_.notify_all();
}

std::string event_text(const std::string& name, const std::string& data) {
    return "event: " + name + "\ndata: " + data + "\n\n";
}

}  // namespace jobhost::http
