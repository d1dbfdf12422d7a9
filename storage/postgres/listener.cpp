#include "storage/postgres/listener.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace jobhost::postgres {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr Duration kLongestWait = 24h;
constexpr auto kAskAfter = 10s;  // of silence
constexpr auto kAnswerWithin = 5s;
constexpr Duration kPollApart = 500ms;

Duration left_until(steady_clock::time_point end) {
    return std::max(std::chrono::duration_cast<Duration>(end - steady_clock::now()),
                    Duration::zero());
}

}  // namespace

Listener::Listener(const SessionShared& shared) : shared_(shared) {
    connect();
}

void Listener::connect() {
    server_.reset();
    server_.emplace(shared_.connection);
    // It waits for hours: a limit for statements in a row is none for it.
    server_->exec("LISTEN " + quoted_name(channel_of(shared_.connection.schema)));
    ping_sent_ = false;
    quiet_since_ = steady_clock::now();
}

bool Listener::wait(Duration at_most) {
    const auto end = steady_clock::now() + std::min(at_most, kLongestWait);
    try {
        if (!server_) {
            connect();
            return true;  // who knows what was said meanwhile
        }
        // One that may not sleep asks: a notification is on its way for a moment.
        if (at_most <= Duration::zero() && !ping_sent_) server_->exec("SELECT 1");
        for (;;) {
            const Duration left = left_until(end);
            if (heard(left)) return true;
            if (left == Duration::zero()) return false;
        }
    } catch (const StorageError&) {
        server_.reset();
        throw;
    }
}

bool Listener::heard(Duration at_most) {
    if (server_->take_notifications() > 0) {
        if (!ping_sent_) quiet_since_ = steady_clock::now();
        return true;
    }
    check_peer();
    const auto next_look = ping_sent_ ? ping_at_ + kAnswerWithin : quiet_since_ + kAskAfter;
    if (!server_->wait_readable(std::min(at_most, left_until(next_look)))) return false;
    return server_->take_notifications() > 0;
}

/// Without this a connection whose other end is gone would look like a quiet one for ever.
void Listener::check_peer() {
    const auto now = steady_clock::now();
    if (ping_sent_) {
        if (server_->ping_answered()) {
            ping_sent_ = false;
            quiet_since_ = now;
        } else if (now >= ping_at_ + kAnswerWithin) {
            throw StorageError(StorageError::Kind::kUnavailable,
                               "PostgreSQL: the listening connection does not answer");
        }
    } else if (now >= quiet_since_ + kAskAfter) {
        server_->send_ping();
        ping_sent_ = true;
        ping_at_ = now;
    }
}

bool Poller::has_changed() {
    const std::int64_t news = session_.read([&] {
        Query row = session_.query("SELECT last_value + is_called::int FROM news");
        return row.step() ? row.integer(0) : 0;
    });
    return std::exchange(news_, news) != news;
}

bool Poller::wait(Duration at_most) {
    const auto end = steady_clock::now() + std::min(at_most, kLongestWait);
    for (;;) {
        if (has_changed()) return true;
        const Duration left = left_until(end);
        if (left == Duration::zero()) return false;
        std::this_thread::sleep_for(std::min(left, kPollApart));
    }
}

}  // namespace jobhost::postgres
