#include "host/stop_request.h"

namespace jobhost {

bool StopRequest::request(const std::string& why, int status) {
    const std::lock_guard lock(mutex_);
    if (requested_) return false;
    requested_ = true;
    why_ = why;
    status_ = status;
    changed_.notify_all();
    return true;
}

bool StopRequest::requested() const {
    const std::lock_guard lock(mutex_);
    return requested_;
}

void StopRequest::wait() const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return requested_; });
}

std::string StopRequest::why() const {
    const std::lock_guard lock(mutex_);
    return why_;
}

int StopRequest::status() const {
    const std::lock_guard lock(mutex_);
    return status_;
}

void StopRequest::start_is_over() {
    const std::lock_guard lock(mutex_);
    start_over_ = true;
    changed_.notify_all();
}

bool StopRequest::wait_for_start(Duration at_most) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, at_most, [this] { return start_over_; });
}

}  // namespace jobhost
