#pragma once

// What a unit test gives to a run, and what it gets back.

#include <chrono>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <jobhost/context.hpp>
#include <jobhost/error.hpp>

namespace jobhost {
inline namespace v1 {
namespace testing {

/// An error that owns its texts; reads like jobhost::Error.
struct RecordedError {
    std::string type = {};
    std::vector<std::string> types = {};  ///< the type and all its public bases
    std::string message = {};
    std::optional<std::chrono::microseconds> retry_after = {};
    std::vector<RecordedError> causes = {};
    bool throw_site_known = false;

    template <class T>
    bool is() const {
        return is(detail::type_name<T>());
    }
    bool is(std::string_view name) const {
        for (const std::string& known : types) {
            if (known == name) return true;
        }
        return false;
    }
};

struct LogLine {
    LogLevel level = LogLevel::kInfo;
    std::string text = {};
};

struct Progress {
    int percent = -1;
    std::string text = {};
};

/// How a run ends. Whether a failed one is tried again is decided by the policy, not by the run.
enum class Outcome { kSucceeded, kFailed, kDeadLettered, kSnoozed, kDiscarded, kCancelled };

inline const char* name_of(Outcome outcome) {
    static constexpr const char* kNames[] = {"succeeded", "failed",    "dead-lettered",
                                             "snoozed",   "discarded", "cancelled"};
    return kNames[static_cast<int>(outcome)];
}

/// What the job finds. Everything has a default that suits most tests.
struct RunSetup {
    std::string input = "null";
    int attempt = 1;  ///< of a failed job: the attempts made
    int max_attempts = 10;
    std::string checkpoint = {};  ///< what an earlier attempt saved
    std::vector<std::string> tags = {};
    /// What settings() answers in this call; not set: PluginUnderTest's own, else an empty object.
    std::optional<std::string> settings = {};
    std::string queue = "default";
    Priority priority = Priority::kNormal;
    std::string idempotency_key = {};
    std::string traceparent = {};
    std::string reason = {};  ///< of a failed job
    std::int64_t id = 1;
    std::int64_t fence = 1;
    /// The run's n-th look for cancellation (`cancel_at_look`, from 1) and all later ones see it.
    CancelReason cancel = CancelReason::kNone;
    int cancel_at_look = 1;
    /// What enqueue and save_checkpoint answer instead of doing it, such as JOBHOST_UNAVAILABLE.
    std::optional<jobhost_status> refuse_enqueue = {};
    std::optional<jobhost_status> refuse_checkpoint = {};
};

/// What a run did.
struct RunResult {
    Outcome outcome = Outcome::kSucceeded;
    /// Set when it failed. When it was discarded or dead-lettered, its message is the reason.
    std::optional<RecordedError> error = {};
    std::chrono::microseconds snooze{0};
    std::vector<LogLine> log = {};
    std::vector<Progress> progress = {};
    std::vector<std::string> checkpoints = {};
    std::vector<Enqueue> enqueued = {};
    std::vector<Enqueue> enqueued_on_success = {};  ///< empty unless it succeeded
    std::chrono::microseconds waited{0};
    int looks = 0;  ///< for cancellation, until it saw one
    bool completed = false;
    bool applied = false;  ///< of a forwarder: applies_to was true

    bool succeeded() const { return outcome == Outcome::kSucceeded; }
    bool logged(std::string_view part) const {
        for (const LogLine& line : log) {
            if (line.text.find(part) != std::string::npos) return true;
        }
        return false;
    }
};

inline std::ostream& operator<<(std::ostream& out, const RunResult& result) {
    out << name_of(result.outcome);
    if (result.error) out << ": " << result.error->type << ": " << result.error->message;
    for (const LogLine& line : result.log) out << "\n  log: " << line.text;
    return out;
}

}  // namespace testing
}  // namespace v1
}  // namespace jobhost
