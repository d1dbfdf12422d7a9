#include "host/http/logins.h"

#include <algorithm>
#include <array>
#include <random>

namespace jobhost::http {
namespace {

constexpr std::size_t kMostPeers = 10'000;

/// std::random_device reads the kernel's generator.
std::string random_name() {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::random_device random;
    std::string name;
    while (name.size() < 64) {
        for (unsigned bits = random(), i = 0; i < 8; ++i, bits >>= 4U) name += kDigits[bits & 15U];
    }
    return name;
}

}  // namespace

std::string Logins::begin(Now now) {
    std::string name = random_name();
    const std::lock_guard lock(mutex_);
    if (sessions_.size() >= kMostSessions) {
        const auto by_begin = [](const auto& a, const auto& b) { return a.second < b.second; };
        sessions_.erase(std::ranges::min_element(sessions_, by_begin));
    }
    sessions_.emplace(name, now);
    return name;
}

bool Logins::is_valid(std::string_view session, Now now) const {
    const std::lock_guard lock(mutex_);
    const auto found = sessions_.find(session);
    return found != sessions_.end() && now - found->second < kLifetime;
}

void Logins::end(std::string_view session) {
    const std::lock_guard lock(mutex_);
    if (const auto found = sessions_.find(session); found != sessions_.end()) {
        sessions_.erase(found);
    }
}

void Logins::note_failure(const std::string& peer, Now now) {
    const std::lock_guard lock(mutex_);
    if (failures_.size() >= kMostPeers) {
        std::erase_if(failures_,
                      [&](const auto& one) { return now - one.second.since >= kFailureWindow; });
    }
    // Somebody comes from everywhere: better to forget than to grow.
    if (failures_.size() >= kMostPeers) failures_.clear();
    Failures& failures = failures_[peer];
    if (now - failures.since >= kFailureWindow) failures = {.count = 0, .since = now};
    ++failures.count;
}

bool Logins::is_blocked(const std::string& peer, Now now) const {
    const std::lock_guard lock(mutex_);
    const auto found = failures_.find(peer);
    return found != failures_.end() && found->second.count >= kMostFailures &&
           now - found->second.since < kFailureWindow;
}

}  // namespace jobhost::http
