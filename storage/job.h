#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/clock.h"

namespace jobhost {

/// Given by the store, positive, never reused.
using JobId = std::int64_t;

/// One registration of one running process, given by the store, never reused: the short form of
/// the node's random incarnation, and half of a lease. 0 = none.
using NodeId = std::int64_t;

/// `kScheduled` and `kEnqueued` are one state in the store (waiting); which of the two it is
/// depends on whether `run_at` has come.
enum class JobState {
    kScheduled,
    kEnqueued,
    kProcessing,
    kAwaiting,
    kSucceeded,
    kFailed,
    kExpired,
    kCancelled,
};
inline constexpr int kJobStates = 8;

enum class Priority { kCritical = 0, kHigh = 1, kNormal = 2, kLow = 3 };

/// The word that every interface uses for the state or the priority, and back.
std::string_view to_string(JobState state);
std::string_view to_string(Priority priority);
std::optional<JobState> parse_job_state(std::string_view text);
std::optional<Priority> parse_priority(std::string_view text);
bool is_terminal(JobState state);

/// Why one attempt failed.
struct JobError {
    std::string type = {};                // demangled C++ type, `jobhost::TimeoutError`, ...
    std::vector<std::string> types = {};  // `type` and all its public bases
    std::string message = {};
    std::string stack_trace = {};
    int attempt = 0;         // the attempt that failed, from 1
    std::int64_t fence = 0;  // the claim that failed
    TimePoint at = {};
};

enum class LogLevel { kTrace, kDebug, kInfo, kWarning, kError };
std::string_view to_string(LogLevel level);

/// A line that the job wrote about itself.
struct LogLine {
    TimePoint at = {};
    LogLevel level = LogLevel::kInfo;
    std::string text = {};
};

/// A job as every interface shows it. Lists leave `input`, `errors`, `checkpoint` and `log` empty.
struct Job {
    JobId id = 0;
    std::string type = {};
    std::string queue = {};
    Priority priority = Priority::kNormal;
    std::vector<std::string> tags = {};
    std::string input = {};  // the exact bytes that were enqueued
    std::size_t input_bytes = 0;

    JobState state = JobState::kEnqueued;
    int attempts = 0;                                // executions that count so far
    std::int64_t fence = 0;                          // grows with every claim, never goes back
    std::optional<int> max_attempts = {};            // in force since the last claim
    std::optional<int> max_attempts_requested = {};  // what the enqueuer passed
    std::optional<Duration> timeout_requested = {};  // what the enqueuer passed; 0 = none
    int snoozes = 0;
    int orphanings = 0;  // how often in a row its node died under it

    TimePoint created_at = {};
    TimePoint run_at = {};
    std::optional<TimePoint> first_started_at = {};  // since it was (re)queued; for `retry_for`
    std::optional<TimePoint> started_at = {};
    std::optional<TimePoint> finished_at = {};
    std::optional<TimePoint> expires_at = {};  // must have started by then

    NodeId node = 0;  // who runs it or ran it last; 0 = nobody yet
    std::optional<std::string> cancel_requested_by = {};
    std::string stopping = {};  // processing: why its run was asked to stop, for people
    std::string reason = {};    // for a terminal state: why and by which rule
    std::string source = {};    // `cli`, `http`, `client`, `job:ID`, ...
    std::optional<std::string> idempotency_key = {};
    std::optional<JobId> parent_id = {};
    std::optional<std::string> traceparent = {};

    std::optional<JobError> last_error = {};
    std::vector<JobError> errors = {};  // of every failed attempt, newest last, at most 50
    std::optional<std::string> checkpoint = {};
    std::optional<int> progress_percent = {};
    std::string progress_text = {};
    std::vector<LogLine> log = {};  // the last 200 lines
};

/// What an idempotency key that is already taken does to a new job. See `enqueue`.
enum class OnDuplicate { kAllowAfterFailed, kRejectIfFailed, kRejectAlways };
std::string_view to_string(OnDuplicate rule);
std::optional<OnDuplicate> parse_on_duplicate(std::string_view text);

/// A job to be made. `delay` and `run_at` exclude each other, as do the two deadlines.
struct NewJob {
    std::string type = {};
    std::string input = "null";  // JSON text, kept byte for byte
    std::string queue = "default";
    Priority priority = Priority::kNormal;
    std::vector<std::string> tags = {};
    std::optional<int> max_attempts = {};
    std::optional<Duration> delay = {};  // counted by the store's clock
    std::optional<TimePoint> run_at = {};
    std::optional<Duration> deadline_after = {};  // must start within, counted from its run_at
    std::optional<TimePoint> deadline_at = {};
    std::optional<Duration> timeout = {};  // 0 = none
    std::optional<std::string> idempotency_key = {};
    OnDuplicate on_duplicate = OnDuplicate::kAllowAfterFailed;
    std::optional<std::string> traceparent = {};
    std::string source = {};
};

}  // namespace jobhost
