#include "host/engine/write_queue.h"

#include <algorithm>
#include <future>
#include <iterator>

namespace jobhost {

bool WriteQueue::push(PendingWrite write) {
    bool notify = false;
    {
        const std::lock_guard lock(mutex_);
        if (closed_) return false;
        writes_.push_back(std::move(write));
        notify = waiting_;
        waiting_ = false;
    }
    if (notify) changed_.notify_one();
    return true;
}

std::optional<WriteAnswer> WriteQueue::ask(Write write, const Clock& clock, Duration patience) {
    auto promise = std::make_shared<std::promise<WriteAnswer>>();
    std::future<WriteAnswer> answer = promise->get_future();
    PendingWrite pending;
    pending.write = std::move(write);
    pending.give_up_at = clock.steady_now() + patience;
    pending.answered = [promise](const WriteAnswer& given) { promise->set_value(given); };
    promise.reset();
    if (!push(std::move(pending))) return std::nullopt;
    try {
        return answer.get();
    } catch (const std::future_error&) {  // dropped without an answer: closed or given up
        return std::nullopt;
    }
}

std::vector<PendingWrite> WriteQueue::take(std::size_t most, std::vector<PendingWrite> first) {
    const std::lock_guard lock(mutex_);
    if (first.empty() && writes_.size() <= most) {
        first.swap(writes_);
        return first;
    }
    const std::size_t room = most - std::min(most, first.size());
    const auto end = writes_.begin() + static_cast<std::ptrdiff_t>(std::min(room, writes_.size()));
    std::move(writes_.begin(), end, std::back_inserter(first));
    writes_.erase(writes_.begin(), end);
    return first;
}

void WriteQueue::wait_until(SteadyPoint until) {
    std::unique_lock lock(mutex_);
    waiting_ = true;
    changed_.wait_until(lock, until, [this] { return woken_ || !writes_.empty(); });
    waiting_ = false;
    woken_ = false;
}

void WriteQueue::wake() {
    bool notify = false;
    {
        const std::lock_guard lock(mutex_);
        woken_ = true;
        notify = waiting_;
        waiting_ = false;
    }
    if (notify) changed_.notify_one();
}

void WriteQueue::close() {
    std::vector<PendingWrite> dropped;
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        dropped.swap(writes_);
    }
}

std::size_t WriteQueue::size() const {
    const std::lock_guard lock(mutex_);
    return writes_.size();
}

}  // namespace jobhost
