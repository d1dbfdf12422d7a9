#include "storage/postgres/announcer.h"

#include <optional>

namespace jobhost::postgres {
namespace {

constexpr auto kApart = std::chrono::milliseconds(1);

/// A name of the server holds 63 bytes.
constexpr std::size_t kMaxChannelBytes = 63;

}  // namespace

std::string channel_of(const std::string& schema) {
    return ("jobhost_" + schema).substr(0, kMaxChannelBytes);
}

Announcer::Announcer(const ConnectionOptions& connection)
    : connection_(connection),
      text_("SELECT nextval('" + quoted_name(connection.schema) + ".news'); NOTIFY " +
            quoted_name(channel_of(connection.schema))) {}

Announcer::~Announcer() {
    thread_.request_stop();
    due_.notify_all();
}

std::string Announcer::text_if_due() {
    const std::lock_guard lock(mutex_);
    const SteadyPoint now = std::chrono::steady_clock::now();
    if (now >= next_) {
        next_ = now + kApart;
        return text_;
    }
    return {};
}

void Announcer::announce_later() {
    const std::lock_guard lock(mutex_);
    owed_ = true;
    if (!thread_.joinable()) {
        thread_ = std::jthread([this](const std::stop_token& stop) { announce_owed(stop); });
    }
    due_.notify_one();
}

void Announcer::announce_owed(const std::stop_token& stop) {
    std::optional<Connection> server;
    std::unique_lock lock(mutex_);
    while (due_.wait(lock, stop, [this] { return owed_; })) {
        const SteadyPoint at = next_;
        due_.wait_until(lock, stop, at, [] { return false; });
        owed_ = false;
        next_ = std::chrono::steady_clock::now() + kApart;
        lock.unlock();
        try {
            if (!server) server.emplace(connection_);
            server->exec("SET synchronous_commit = off;" + text_);
        } catch (const StorageError&) {
            server.reset();  // listeners look by themselves, now and then
        }
        lock.lock();
    }
}

}  // namespace jobhost::postgres
