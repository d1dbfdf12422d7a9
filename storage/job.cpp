#include "storage/job.h"

#include <array>
#include <utility>

#include "storage/check.h"
#include "storage/storage.h"

namespace jobhost {
namespace {

template <class Enum, std::size_t kCount>
using Names = std::array<std::pair<Enum, std::string_view>, kCount>;

constexpr Names<JobState, 8> kStates{{
    {JobState::kScheduled, "scheduled"},
    {JobState::kEnqueued, "enqueued"},
    {JobState::kProcessing, "processing"},
    {JobState::kAwaiting, "awaiting"},
    {JobState::kSucceeded, "succeeded"},
    {JobState::kFailed, "failed"},
    {JobState::kExpired, "expired"},
    {JobState::kCancelled, "cancelled"},
}};

constexpr Names<Priority, 4> kPriorities{{
    {Priority::kCritical, "critical"},
    {Priority::kHigh, "high"},
    {Priority::kNormal, "normal"},
    {Priority::kLow, "low"},
}};

constexpr Names<LogLevel, 5> kLevels{{
    {LogLevel::kTrace, "trace"},
    {LogLevel::kDebug, "debug"},
    {LogLevel::kInfo, "info"},
    {LogLevel::kWarning, "warning"},
    {LogLevel::kError, "error"},
}};

constexpr Names<OnDuplicate, 3> kDuplicateRules{{
    {OnDuplicate::kAllowAfterFailed, "allow_after_failed"},
    {OnDuplicate::kRejectIfFailed, "reject_if_failed"},
    {OnDuplicate::kRejectAlways, "reject_always"},
}};

constexpr Names<DeadLetterState, 7> kDeadLetterStates{{
    {DeadLetterState::kOwed, "owed"},
    {DeadLetterState::kStarted, "started"},
    {DeadLetterState::kSucceeded, "succeeded"},
    {DeadLetterState::kFailed, "failed"},
    {DeadLetterState::kNotApplicable, "not_applicable"},
    {DeadLetterState::kInterrupted, "interrupted"},
    {DeadLetterState::kTimedOut, "timed_out"},
}};

template <class Enum, std::size_t kCount>
std::string_view name_of(const Names<Enum, kCount>& names, Enum value) {
    for (const auto& [known, name] : names) {
        if (known == value) return name;
    }
    JOBHOST_CHECK(!"an enumerator without a name");
    return {};
}

template <class Enum, std::size_t kCount>
std::optional<Enum> value_of(const Names<Enum, kCount>& names, std::string_view text) {
    for (const auto& [value, name] : names) {
        if (name == text) return value;
    }
    return std::nullopt;
}

}  // namespace

std::string_view to_string(JobState state) {
    return name_of(kStates, state);
}
std::string_view to_string(Priority priority) {
    return name_of(kPriorities, priority);
}
std::string_view to_string(LogLevel level) {
    return name_of(kLevels, level);
}
std::string_view to_string(OnDuplicate rule) {
    return name_of(kDuplicateRules, rule);
}
std::string_view to_string(DeadLetterState state) {
    return name_of(kDeadLetterStates, state);
}

std::optional<JobState> parse_job_state(std::string_view text) {
    return value_of(kStates, text);
}
std::optional<Priority> parse_priority(std::string_view text) {
    return value_of(kPriorities, text);
}
std::optional<OnDuplicate> parse_on_duplicate(std::string_view text) {
    return value_of(kDuplicateRules, text);
}

bool is_terminal(JobState state) {
    switch (state) {
        case JobState::kSucceeded:
        case JobState::kFailed:
        case JobState::kExpired:
        case JobState::kCancelled: return true;
        case JobState::kScheduled:
        case JobState::kEnqueued:
        case JobState::kProcessing:
        case JobState::kAwaiting: return false;
    }
    JOBHOST_CHECK(!"an unknown job state");
    return false;
}

}  // namespace jobhost
