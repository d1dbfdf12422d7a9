#include "host/plugin/enqueue_request.h"

#include <optional>
#include <utility>

#include "host/plugin/abi_values.h"
#include "storage/check.h"
#include "storage/enqueue_rules.h"

namespace jobhost {
namespace {

constexpr std::int64_t kNotSet = -1;

/// Ends the reading with one sentence; caught in read_enqueue and nowhere else.
struct Mistake {
    EnqueueMistake mistake;
};

[[noreturn]] void invalid(std::string why) {
    throw Mistake{{.status = JOBHOST_INVALID, .why = std::move(why)}};
}

std::string text(const char* field, jobhost_str value) {
    if (!is_readable(value)) invalid(std::string(field) + " is NULL but has a length");
    return text_of(value);
}

std::optional<std::string> optional_text(const char* field, jobhost_str value) {
    std::string read = text(field, value);
    if (read.empty()) return std::nullopt;
    return read;
}

std::optional<Duration> duration(const char* field, std::int64_t us) {
    if (us == kNotSet) return std::nullopt;
    if (us < 0) invalid(std::string(field) + " is negative (-1 means not set)");
    return Duration(us);
}

std::optional<TimePoint> time(const char* field, std::int64_t us) {
    if (us == 0) return std::nullopt;
    if (us < 0) invalid(std::string(field) + " is before 1970 (0 means not set)");
    return TimePoint(Duration(us));
}

Priority priority(jobhost_priority value) {
    if (value == JOBHOST_PRIORITY_NOT_SET) return Priority::kNormal;
    if (value < JOBHOST_PRIORITY_CRITICAL || value > JOBHOST_PRIORITY_LOW) {
        invalid("priority is " + std::to_string(value) + "; it must be -1 to 3");
    }
    return static_cast<Priority>(value);
}

OnDuplicate on_duplicate(std::int32_t value) {
    switch (value) {
        case JOBHOST_ON_DUPLICATE_ALLOW_AFTER_FAILED: return OnDuplicate::kAllowAfterFailed;
        case JOBHOST_ON_DUPLICATE_REJECT_IF_FAILED: return OnDuplicate::kRejectIfFailed;
        case JOBHOST_ON_DUPLICATE_REJECT_ALWAYS: return OnDuplicate::kRejectAlways;
        default: invalid("on_duplicate is " + std::to_string(value) + "; it must be 0 to 2");
    }
}

std::vector<std::string> tags(const jobhost_str* values, std::size_t count) {
    if (count > kMaxTags) {
        invalid("there are " + std::to_string(count) + " tags; the limit is " +
                std::to_string(kMaxTags));
    }
    if (count > 0 && values == nullptr) invalid("tags is NULL but n_tags is not 0");
    std::vector<std::string> read;
    for (std::size_t i = 0; i < count; ++i) read.push_back(text("a tag", values[i]));
    return read;
}

std::optional<int> max_attempts(std::int32_t value) {
    if (value == kNotSet) return std::nullopt;
    return value;
}

NewJob read_job(const jobhost_enqueue& from) {
    NewJob job;
    job.type = text("type", from.type);
    if (auto input = optional_text("input", from.input)) job.input = std::move(*input);
    if (auto queue = optional_text("queue", from.queue)) job.queue = std::move(*queue);
    job.priority = priority(from.priority);
    job.tags = tags(from.tags, from.n_tags);
    job.max_attempts = max_attempts(from.max_attempts);
    job.delay = duration("delay_us", from.delay_us);
    job.run_at = time("run_at_us", from.run_at_us);
    job.deadline_in = duration("deadline_after_us", from.deadline_after_us);
    job.deadline_at = time("deadline_at_us", from.deadline_at_us);
    job.timeout = duration("timeout_us", from.timeout_us);
    job.idempotency_key = optional_text("idempotency_key", from.idempotency_key);
    job.on_duplicate = on_duplicate(from.on_duplicate);
    job.traceparent = optional_text("traceparent", from.traceparent);
    return job;
}

}  // namespace

tl::expected<EnqueueRequest, EnqueueMistake> read_enqueue(const jobhost_enqueue& request) {
    try {
        if (!has_first_size(request)) {
            invalid("struct_size is " + std::to_string(request.struct_size) +
                    "; it must be at least " + std::to_string(kFirstSize<jobhost_enqueue>));
        }
        const jobhost_enqueue from = read_struct(request);
        if (from.after < 0) invalid("after is negative");
        if (from.after == 0 && from.on_parent_failed != 0) {
            invalid("on_parent_failed is set without after");
        }
        if (from.after != 0) {
            throw Mistake{
                {.status = JOBHOST_UNSUPPORTED, .why = "this host does not offer `after` yet"}};
        }
        return EnqueueRequest{.job = read_job(from),
                              .on_success = (from.flags & JOBHOST_ENQUEUE_ON_SUCCESS) != 0};
    } catch (const Mistake& found) {
        return tl::unexpected(found.mistake);
    }
}

jobhost_status status_of(const Asked& asked) {
    switch (asked.status) {
        case AskStatus::kDone: return JOBHOST_OK;
        case AskStatus::kInvalid: return JOBHOST_INVALID;
        case AskStatus::kRefused: return JOBHOST_CONFLICT;
        case AskStatus::kUnavailable: return JOBHOST_UNAVAILABLE;
        case AskStatus::kLeaseLost: return JOBHOST_ERROR;  // trying again would not help
    }
    JOBHOST_CHECK(false);
    __builtin_unreachable();
}

jobhost_status answer_enqueue(const jobhost_enqueue* request, jobhost_enqueue_result* result,
                              const std::function<Asked(EnqueueRequest)>& ask) {
    thread_local std::string message;
    if (result != nullptr && !has_first_size(*result)) return JOBHOST_INVALID;
    const auto answer = [&](jobhost_status status, std::string why, JobId id, bool duplicate) {
        message = std::move(why);
        if (result != nullptr) {
            result->duplicate = duplicate ? 1 : 0;
            result->id = id;
            result->message = borrow(message);
        }
        return status;
    };
    if (request == nullptr) return answer(JOBHOST_INVALID, "the request is NULL", 0, false);
    auto read = read_enqueue(*request);
    if (!read) return answer(read.error().status, read.error().why, 0, false);
    Asked asked = ask(std::move(*read));
    const jobhost_status status = status_of(asked);
    return answer(status, std::move(asked.why), asked.id, asked.duplicate);
}

}  // namespace jobhost
