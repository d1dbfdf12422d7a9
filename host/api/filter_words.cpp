#include "host/api/filter_words.h"

#include <charconv>

#include "config/duration.h"
#include "host/api/request_error.h"
#include "host/text/time_text.h"

namespace jobhost::api {
namespace {

JobState state_of(const std::string& word) {
    if (const auto state = parse_job_state(word)) return *state;
    throw RequestError("state", ' ' + word +
                                    ": the states are scheduled, enqueued, processing, awaiting, "
                                    "succeeded, failed, expired and cancelled");
}

TimePoint since_of(const std::string& words, TimePoint now) {
    if (const auto duration = config::parse_duration(words)) return now - *duration;
    if (const auto time = parse_time(words)) return *time;
    throw RequestError("since", ' ' + words +
                                    ": give a duration such as 1h or 7d, or a time such as "
                                    "2026-02-28T23:59:00Z");
}

/// A whole number from 1, and nothing else.
std::optional<std::int64_t> positive(std::string_view text) {
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stop != end || number <= 0) return std::nullopt;
    return number;
}

}  // namespace

JobFilter job_filter(const FilterWords& words, TimePoint now) {
    JobFilter filter{.queue = words.queue,
                     .type = words.type,
                     .tag = words.tag,
                     .error = words.error,
                     .group = words.group};
    for (const std::string& word : words.states) filter.states.push_back(state_of(word));
    if (!words.since.empty()) filter.since = since_of(words.since, now);
    return filter;
}

JobId parse_id(std::string_view text) {
    if (const auto id = positive(text)) return *id;
    throw RequestError(RequestError::Kind::kBad,
                       "`" + std::string(text) + "` is not an id: ids are whole numbers from 1");
}

std::int64_t parse_run_place(const std::string& words) {
    if (words.empty()) return 0;
    if (const auto place = positive(words)) return *place;
    throw RequestError("after", ' ' + words + ": give what `next` said");
}

std::optional<DeadLetterState> parse_dead_letter_state(const std::string& word) {
    if (word.empty()) return std::nullopt;
    for (int number = 0; number <= static_cast<int>(DeadLetterState::kTimedOut); ++number) {
        const auto state = static_cast<DeadLetterState>(number);
        if (to_string(state) == word) return state;
    }
    throw RequestError("state", ' ' + word +
                                    ": the states are owed, started, succeeded, failed, "
                                    "not_applicable, interrupted and timed_out");
}

}  // namespace jobhost::api
