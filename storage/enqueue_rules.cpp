#include "storage/enqueue_rules.h"

#include <algorithm>
#include <array>

#include "storage/json_text.h"
#include "storage/utf8.h"

namespace jobhost {
namespace {

constexpr std::size_t kMaxTraceparentBytes = 256;
constexpr std::size_t kMaxSourceBytes = 256;

/// Beyond it sums of times could overflow; nobody waits that long.
constexpr Duration kLongestWait = std::chrono::hours(24) * 36525;
constexpr TimePoint kEarliestTime{Duration::zero()};
constexpr TimePoint kLatestTime{std::chrono::seconds(253'402'300'799)};  // the end of the year 9999

using Reason = std::optional<std::string>;

bool is_name_byte(char c) {
    constexpr std::string_view kMarks = "_.-:/";
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
}

bool is_control(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
}

std::string hex_byte(char c) {
    constexpr std::string_view kHex = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    return {'0', 'x', kHex[byte >> 4U], kHex[byte & 0xFU]};
}

/// The name as it may be quoted in a message: short and printable.
std::string shown(std::string_view name) {
    constexpr std::size_t kShown = 64;
    std::string text = json_string(name.substr(0, kShown));
    if (name.size() > kShown) text += "...";
    return text;
}

Reason check_named(const char* what, std::string_view name) {
    const Reason reason = check_name(name);
    if (!reason) return std::nullopt;
    return "the " + std::string(what) + " " + (name.empty() ? "" : shown(name) + " ") + *reason;
}

/// Text that people and other programs read: UTF-8 without control characters, so that it can be
/// stored by every engine and shown on one line.
Reason check_text(const std::string& what, std::string_view text, std::size_t max_bytes) {
    if (text.size() > max_bytes) {
        return what + " is longer than " + std::to_string(max_bytes) + " bytes";
    }
    if (!is_utf8(text)) return what + " is not valid UTF-8";
    if (std::ranges::any_of(text, is_control)) return what + " contains a control character";
    return std::nullopt;
}

Reason check_tags(const std::vector<std::string>& tags) {
    if (tags.size() > kMaxTags) {
        return "there are " + std::to_string(tags.size()) + " tags; the limit is " +
               std::to_string(kMaxTags);
    }
    for (const std::string& tag : tags) {
        if (tag.empty()) return "a tag is empty";
        if (auto reason = check_text("the tag " + shown(tag), tag, kMaxTagBytes)) return reason;
    }
    return std::nullopt;
}

Reason check_wait(const char* what, const std::optional<Duration>& wait, Duration least) {
    if (!wait) return std::nullopt;
    if (*wait < least) {
        return std::string(what) + (*wait < Duration::zero() ? " is negative" : " is zero");
    }
    if (*wait > kLongestWait) return std::string(what) + " is longer than 100 years";
    return std::nullopt;
}

Reason check_time(const char* what, const std::optional<TimePoint>& time) {
    if (!time || (*time >= kEarliestTime && *time <= kLatestTime)) return std::nullopt;
    return std::string(what) + " is not between the years 1970 and 9999";
}

Reason check_times(const NewJob& job) {
    if (job.delay && job.run_at) return "delay and run_at exclude each other";
    if (job.deadline_after && job.deadline_at) return "there are two deadlines";
    if (auto reason = check_wait("the delay", job.delay, Duration::zero())) return reason;
    if (auto reason = check_wait("the deadline", job.deadline_after, Duration(1))) return reason;
    if (auto reason = check_wait("the timeout", job.timeout, Duration::zero())) return reason;
    if (auto reason = check_time("run_at", job.run_at)) return reason;
    if (auto reason = check_time("the deadline", job.deadline_at)) return reason;
    if (job.run_at && job.deadline_at && *job.deadline_at <= *job.run_at) {
        return "the deadline is not after run_at, so the job could never start";
    }
    return std::nullopt;
}

Reason check_texts(const NewJob& job) {
    if (job.idempotency_key) {
        if (job.idempotency_key->empty()) return "the idempotency key is empty";
        const std::string what = "the idempotency key";
        if (auto reason = check_text(what, *job.idempotency_key, kMaxKeyBytes)) return reason;
    }
    if (job.traceparent) {
        if (auto reason = check_text("traceparent", *job.traceparent, kMaxTraceparentBytes)) {
            return reason;
        }
    }
    return check_text("the source", job.source, kMaxSourceBytes);
}

/// Values that a cast may have smuggled into an enumeration.
Reason check_choices(const NewJob& job) {
    const auto priority = static_cast<int>(job.priority);
    if (priority < 0 || priority > static_cast<int>(Priority::kLow)) {
        return "the priority is unknown";
    }
    const auto rule = static_cast<int>(job.on_duplicate);
    if (rule < 0 || rule > static_cast<int>(OnDuplicate::kRejectAlways)) {
        return "on_duplicate is unknown";
    }
    return std::nullopt;
}

Reason check_input(const std::string& input, std::size_t max_bytes) {
    if (input.size() > max_bytes) {
        return "the input has " + std::to_string(input.size()) + " bytes; the limit is " +
               std::to_string(max_bytes);
    }
    const auto mistake = check_json(input);
    if (!mistake) return std::nullopt;
    return "the input is not JSON: " + *mistake;
}

}  // namespace

std::optional<std::string> check_name(std::string_view name) {
    if (name.empty()) return "is empty";
    if (name.size() > kMaxNameBytes) {
        return "is longer than " + std::to_string(kMaxNameBytes) + " bytes";
    }
    const auto bad = std::ranges::find_if_not(name, is_name_byte);
    if (bad == name.end()) return std::nullopt;
    return "contains the byte " + hex_byte(*bad) + "; letters, digits and _ . - : / are allowed";
}

std::string enqueue_warning(const NewJob& job, const Enqueued& stored) {
    if (!stored.has_live_node) return "no live node runs the type " + job.type;
    if (stored.has_live_queue) return {};
    return "no live node that runs the type " + job.type + " works on the queue " + job.queue;
}

std::optional<std::string> check_new_job(const NewJob& job, std::size_t max_input_bytes) {
    if (auto reason = check_named("type", job.type)) return reason;
    if (auto reason = check_named("queue", job.queue)) return reason;
    if (job.max_attempts && *job.max_attempts < 1) return "max_attempts is less than 1";
    if (job.max_attempts && *job.max_attempts > kMaxAttemptsLimit) {
        return "max_attempts is more than " + std::to_string(kMaxAttemptsLimit);
    }
    if (auto reason = check_choices(job)) return reason;
    if (auto reason = check_tags(job.tags)) return reason;
    if (auto reason = check_times(job)) return reason;
    if (auto reason = check_texts(job)) return reason;
    return check_input(job.input, max_input_bytes);
}

}  // namespace jobhost
