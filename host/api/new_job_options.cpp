#include "host/api/new_job_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "config/duration.h"
#include "host/text/time_text.h"

namespace jobhost::api {
namespace {

using Mistake = std::optional<std::string>;

/// Stores what was read, or answers the mistake.
template <class T, class Target>
Mistake keep(tl::expected<T, std::string> read, Target& target) {
    if (!read) return std::move(read.error());
    target = *std::move(read);
    return std::nullopt;
}

template <class T>
tl::expected<T, std::string> one_of(std::optional<T> found, const char* words) {
    if (found) return *found;
    return tl::unexpected("must be one of " + std::string(words));
}

tl::expected<int, std::string> parse_number(const std::string& words) {
    int number = 0;
    const char* end = words.data() + words.size();
    const auto [stop, error] = std::from_chars(words.data(), end, number);
    if (error != std::errc() || stop != end) {
        return tl::unexpected(std::string("must be a whole number of at most 1000000"));
    }
    return number;
}

Mistake set_queue(NewJob& job, const std::string& words) {
    job.queue = words;
    return std::nullopt;
}
Mistake set_priority(NewJob& job, const std::string& words) {
    return keep(one_of(parse_priority(words), "critical, high, normal and low"), job.priority);
}
Mistake set_max_attempts(NewJob& job, const std::string& words) {
    return keep(parse_number(words), job.max_attempts);
}
Mistake set_delay(NewJob& job, const std::string& words) {
    return keep(config::parse_duration(words), job.delay);
}
Mistake set_run_at(NewJob& job, const std::string& words) {
    return keep(parse_time(words), job.run_at);
}
Mistake set_deadline(NewJob& job, const std::string& words) {
    if (const auto duration = config::parse_duration(words)) {
        job.deadline_after = *duration;
        return std::nullopt;
    }
    if (const auto time = parse_time(words)) {
        job.deadline_at = *time;
        return std::nullopt;
    }
    return "must be a duration such as 30s, 5m or 1h, or a time such as 2026-02-28T23:59:00Z";
}
Mistake set_timeout(NewJob& job, const std::string& words) {
    return keep(config::parse_duration(words), job.timeout);
}
Mistake set_key(NewJob& job, const std::string& words) {
    job.idempotency_key = words;
    return std::nullopt;
}
Mistake set_on_duplicate(NewJob& job, const std::string& words) {
    return keep(
        one_of(parse_on_duplicate(words), "allow_after_failed, reject_if_failed and reject_always"),
        job.on_duplicate);
}
Mistake set_traceparent(NewJob& job, const std::string& words) {
    job.traceparent = words;
    return std::nullopt;
}

struct Option {
    std::string_view name;
    OptionForm form;
    Mistake (*set)(NewJob& job, const std::string& words);
};

constexpr std::array<Option, 10> kOptions{{
    {"queue", OptionForm::kText, set_queue},
    {"priority", OptionForm::kText, set_priority},
    {"max_attempts", OptionForm::kNumber, set_max_attempts},
    {"delay", OptionForm::kDurationOrText, set_delay},
    {"run_at", OptionForm::kText, set_run_at},
    {"deadline", OptionForm::kDurationOrText, set_deadline},
    {"timeout", OptionForm::kDurationOrText, set_timeout},
    {"idempotency_key", OptionForm::kText, set_key},
    {"on_duplicate", OptionForm::kText, set_on_duplicate},
    {"traceparent", OptionForm::kText, set_traceparent},
}};

const Option* find_option(std::string_view name) {
    const auto found = std::ranges::find(kOptions, name, &Option::name);
    return found == kOptions.end() ? nullptr : &*found;
}

}  // namespace

OptionForm option_form(std::string_view name) {
    const Option* option = find_option(name);
    return option == nullptr ? OptionForm::kUnknown : option->form;
}

std::optional<std::string> set_option(NewJob& job, std::string_view name,
                                      const std::string& words) {
    const Option* option = find_option(name);
    if (option == nullptr) return std::string(name) + " is not known";
    if (auto mistake = option->set(job, words)) return std::string(name) + ' ' + *mistake;
    return std::nullopt;
}

}  // namespace jobhost::api
