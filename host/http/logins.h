#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace jobhost::http {

/// Who has logged in, and who tries too often. Of this process only: after a restart people log in
/// again. Thread-safe.
class Logins {
public:
    using Now = std::chrono::steady_clock::time_point;

    static constexpr std::chrono::hours kLifetime{12};
    static constexpr std::size_t kMostSessions = 1000;  // the oldest one goes for a new one
    static constexpr int kMostFailures = 10;            // of one address in a minute
    static constexpr std::chrono::minutes kFailureWindow{1};

    /// The name of a new session: 256 random bits as hex digits.
    std::string begin(Now now);
    bool is_valid(std::string_view session, Now now) const;
    void end(std::string_view session);

    /// Wrong tokens of one address.
    void note_failure(const std::string& peer, Now now);
    bool is_blocked(const std::string& peer, Now now) const;

private:
    struct Failures {
        int count = 0;
        Now since = {};
    };

    mutable std::mutex mutex_;
    // Guarded by mutex_:
    std::map<std::string, Now, std::less<>> sessions_;  // and their begin
    std::map<std::string, Failures> failures_;
};

}  // namespace jobhost::http
