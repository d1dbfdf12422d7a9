#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <jobhost/errors.hpp>

namespace jobhost {
inline namespace v1 {

enum class Priority : std::int32_t {
    kCritical = JOBHOST_PRIORITY_CRITICAL,
    kHigh = JOBHOST_PRIORITY_HIGH,
    kNormal = JOBHOST_PRIORITY_NORMAL,
    kLow = JOBHOST_PRIORITY_LOW
};

/// What happens when the idempotency key is held by a finished job.
enum class OnDuplicate : std::int32_t {
    kAllowAfterFailed = JOBHOST_ON_DUPLICATE_ALLOW_AFTER_FAILED,
    kRejectIfFailed = JOBHOST_ON_DUPLICATE_REJECT_IF_FAILED,
    kRejectAlways = JOBHOST_ON_DUPLICATE_REJECT_ALWAYS
};

enum class OnParentFailed : std::int32_t {
    kCancel = JOBHOST_ON_PARENT_FAILED_CANCEL,
    kRun = JOBHOST_ON_PARENT_FAILED_RUN,
    kWait = JOBHOST_ON_PARENT_FAILED_WAIT
};

/// A job to be enqueued. Only `type` is required; what is not set is decided by the type's policy
/// and the configuration.
struct Enqueue {
    std::string type = {};
    /// JSON text, kept byte for byte; empty = `null`. json_text(value) of <jobhost/json.hpp>.
    std::string input = {};
    std::string queue = {};
    std::optional<Priority> priority = {};
    std::optional<int> max_attempts = {};  ///< at least 1
    std::optional<std::chrono::microseconds> delay = {};
    std::optional<std::chrono::system_clock::time_point> run_at = {};  ///< not with `delay`
    std::optional<std::chrono::microseconds> deadline_after =
        {};  ///< must start within, from run_at
    std::optional<std::chrono::system_clock::time_point> deadline_at = {};  ///< must start before
    std::optional<std::chrono::microseconds> timeout = {};                  ///< 0 = none
    std::vector<std::string> tags = {};
    std::string idempotency_key = {};
    OnDuplicate on_duplicate = OnDuplicate::kAllowAfterFailed;
    std::int64_t after = 0;  ///< id of the parent
    OnParentFailed on_parent_failed = OnParentFailed::kCancel;
    std::string traceparent = {};  ///< empty = the running job's
};

struct EnqueueResult {
    std::int64_t id = 0;     ///< 0 after enqueue_on_success
    bool duplicate = false;  ///< `id` is an older job that holds the same idempotency key
    std::string warning = {};
};

namespace detail {

inline std::int64_t micros(const std::optional<std::chrono::microseconds>& duration) {
    return duration ? duration->count() : -1;
}

inline std::int64_t micros(const std::optional<std::chrono::system_clock::time_point>& time) {
    if (!time) return 0;
    return std::chrono::floor<std::chrono::microseconds>(time->time_since_epoch()).count();
}

/// The ABI's form; borrows from `job`.
class EnqueueRecord {
public:
    EnqueueRecord(const Enqueue& job, unsigned flags) : tags_(strs(job.tags)) {
        abi_.flags = flags;
        abi_.type = str(job.type);
        abi_.input = str(job.input);
        abi_.queue = str(job.queue);
        if (job.priority) abi_.priority = static_cast<std::int32_t>(*job.priority);
        if (job.max_attempts) abi_.max_attempts = *job.max_attempts;
        abi_.run_at_us = micros(job.run_at);
        abi_.delay_us = micros(job.delay);
        abi_.deadline_after_us = micros(job.deadline_after);
        abi_.deadline_at_us = micros(job.deadline_at);
        abi_.timeout_us = micros(job.timeout);
        abi_.tags = tags_.data();
        abi_.n_tags = tags_.size();
        abi_.idempotency_key = str(job.idempotency_key);
        abi_.on_duplicate = static_cast<std::int32_t>(job.on_duplicate);
        abi_.on_parent_failed = static_cast<std::int32_t>(job.on_parent_failed);
        abi_.after = job.after;
        abi_.traceparent = str(job.traceparent);
    }
    EnqueueRecord(const EnqueueRecord&) = delete;
    EnqueueRecord& operator=(const EnqueueRecord&) = delete;

    const jobhost_enqueue& abi() const { return abi_; }

private:
    std::vector<jobhost_str> tags_;
    jobhost_enqueue abi_ = JOBHOST_ENQUEUE_INIT;
};

/// `call(const jobhost_enqueue*, jobhost_enqueue_result*)` asks the host. Throws HostError.
template <class Call>
EnqueueResult enqueue_through(const Enqueue& job, unsigned flags, Call&& call) {
    const EnqueueRecord record(job, flags);
    jobhost_enqueue_result result{};
    result.struct_size = sizeof result;
    const jobhost_status status = call(&record.abi(), &result);
    std::string message(view(result.message));
    if (status == JOBHOST_OK) return {result.id, result.duplicate != 0, std::move(message)};
    if (message.empty()) message = "status " + std::to_string(status);
    throw HostError(status, "cannot enqueue " + job.type + ": " + message, result.id);
}

}  // namespace detail
}  // namespace v1
}  // namespace jobhost
