#include "host/cli/filter_words.h"

#include <charconv>

#include "config/duration.h"
#include "host/cli/exit_status.h"
#include "host/text/time_text.h"

namespace jobhost::cli {
namespace {

JobState state_of(const std::string& word) {
    const auto state = parse_job_state(word);
    if (!state) {
        throw CommandError(kUsage,
                           "--state " + word +
                               ": the states are scheduled, enqueued, processing, awaiting, "
                               "succeeded, failed, expired and cancelled");
    }
    return *state;
}

TimePoint since_of(const std::string& words, TimePoint now) {
    if (const auto duration = config::parse_duration(words)) return now - *duration;
    if (const auto time = parse_time(words)) return *time;
    throw CommandError(kUsage, "--since " + words +
                                   ": give a duration such as 1h or 7d, or a time such as "
                                   "2026-02-28T23:59:00Z");
}

}  // namespace

JobFilter job_filter(const FilterWords& words, TimePoint now) {
    JobFilter filter{
        .queue = words.queue, .type = words.type, .tag = words.tag, .error = words.error};
    for (const std::string& word : words.states) filter.states.push_back(state_of(word));
    if (!words.since.empty()) filter.since = since_of(words.since, now);
    return filter;
}

JobId parse_id(std::string_view text) {
    JobId id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc() || end != text.data() + text.size() || id <= 0) {
        throw CommandError(
            kUsage, "`" + std::string(text) + "` is not an id: ids are whole numbers from 1");
    }
    return id;
}

std::optional<DeadLetterState> parse_dead_letter_state(const std::string& word) {
    if (word.empty()) return std::nullopt;
    for (int number = 0; number <= static_cast<int>(DeadLetterState::kTimedOut); ++number) {
        const auto state = static_cast<DeadLetterState>(number);
        if (to_string(state) == word) return state;
    }
    throw CommandError(kUsage, "--state " + word +
                                   ": the states are owed, started, succeeded, failed, "
                                   "not_applicable, interrupted and timed_out");
}

}  // namespace jobhost::cli
