#include "host/plugin/run_api.h"

#include <algorithm>
#include <string>
#include <utility>

#include "host/plugin/abi_values.h"
#include "host/plugin/enqueue_request.h"
#include "host/plugin/host_calls.h"
#include "host/plugin/host_run.h"
#include "host/plugin/plugin_error.h"
#include "storage/check.h"

namespace jobhost {
namespace {

constexpr std::int64_t kLongestWaitUs = std::int64_t{366} * 24 * 3600 * 1'000'000;

/// Our own object: jobhost_run is its base. NULL comes from a broken plugin.
const HostRun* run_of(const jobhost_run* run) {
    return static_cast<const HostRun*>(run);
}

void complain(const HostRun& run, const std::string& what) {
    run.log(LogLevel::kWarning, "the plugin broke a rule of jobhost: " + what);
}

jobhost_cancel cancel_of(StopCause cause) {
    switch (cause) {
        case StopCause::kNone: return JOBHOST_NOT_CANCELLED;
        case StopCause::kTimeout: return JOBHOST_CANCEL_TIMEOUT;
        case StopCause::kShutdown: return JOBHOST_CANCEL_SHUTDOWN;
        case StopCause::kOperator: return JOBHOST_CANCEL_OPERATOR;
        case StopCause::kLeaseLost: return JOBHOST_CANCEL_LEASE_LOST;
    }
    JOBHOST_CHECK(false);
    __builtin_unreachable();
}

void log(const jobhost_run* api, jobhost_level level, jobhost_str message) noexcept {
    never_throws([&] {
        const HostRun* run = run_of(api);
        if (run == nullptr) return;
        if (!is_readable(message)) return complain(*run, "log: the text is NULL");
        run->log(log_level(level), shown_line(message));
    });
}

std::int32_t log_enabled(const jobhost_run* api, jobhost_level level) noexcept {
    return never_throws(0, [&] {
        const HostRun* run = run_of(api);
        return run != nullptr && run->log_enabled(log_level(level)) ? 1 : 0;
    });
}

jobhost_cancel cancel_reason(const jobhost_run* api) noexcept {
    return never_throws<jobhost_cancel>(JOBHOST_NOT_CANCELLED, [&] {
        const HostRun* run = run_of(api);
        return run == nullptr ? JOBHOST_NOT_CANCELLED : cancel_of(run->stop_cause());
    });
}

jobhost_cancel wait(const jobhost_run* api, std::int64_t duration_us) noexcept {
    return never_throws<jobhost_cancel>(JOBHOST_NOT_CANCELLED, [&] {
        const HostRun* run = run_of(api);
        if (run == nullptr) return jobhost_cancel{JOBHOST_NOT_CANCELLED};
        return cancel_of(run->wait(Duration(std::min(duration_us, kLongestWaitUs))));
    });
}

jobhost_status enqueue(const jobhost_run* api, const jobhost_enqueue* request,
                       jobhost_enqueue_result* result) noexcept {
    return never_throws<jobhost_status>(JOBHOST_UNAVAILABLE, [&]() -> jobhost_status {
        const HostRun* run = run_of(api);
        if (run == nullptr) return JOBHOST_INVALID;
        return answer_enqueue(request, result, [run](EnqueueRequest asked) {
            return run->enqueue(std::move(asked.job), asked.on_success);
        });
    });
}

void set_error(const jobhost_run* api, const jobhost_error* error) noexcept {
    never_throws([&] {
        const HostRun* run = run_of(api);
        if (run == nullptr) return;
        run->set_error(error == nullptr ? contract_error("the plugin called set_error with NULL")
                                        : thrown_error(*error));
    });
}

void set_snooze(const jobhost_run* api, std::int64_t delay_us) noexcept {
    never_throws([&] {
        const HostRun* run = run_of(api);
        if (run != nullptr) run->set_snooze(Duration(std::max<std::int64_t>(delay_us, 0)));
    });
}

void progress(const jobhost_run* api, std::int32_t percent, jobhost_str text) noexcept {
    never_throws([&] {
        const HostRun* run = run_of(api);
        if (run == nullptr) return;
        if (!is_readable(text)) return complain(*run, "progress: the text is NULL");
        run->progress(std::clamp(percent, -1, 100), shown_line(text));
    });
}

jobhost_status save_checkpoint(const jobhost_run* api, jobhost_str json) noexcept {
    return never_throws<jobhost_status>(JOBHOST_UNAVAILABLE, [&]() -> jobhost_status {
        const HostRun* run = run_of(api);
        if (run == nullptr || !is_readable(json)) return JOBHOST_INVALID;
        const Asked asked = run->save_checkpoint(view_of(json));
        if (asked.status == AskStatus::kInvalid) complain(*run, "save_checkpoint: " + asked.why);
        return status_of(asked);
    });
}

jobhost_status complete(const jobhost_run* api) noexcept {
    return never_throws<jobhost_status>(JOBHOST_ERROR, [&]() -> jobhost_status {
        const HostRun* run = run_of(api);
        if (run == nullptr) return JOBHOST_INVALID;
        return run->complete() ? JOBHOST_OK : JOBHOST_ERROR;
    });
}

const void* get_extension(const jobhost_run* /*api*/, const char* /*id*/) noexcept {
    return nullptr;
}

constexpr jobhost_run_api kRunningJob = {
    .struct_size = sizeof(jobhost_run_api),
    .reserved0 = 0,
    .log = log,
    .log_enabled = log_enabled,
    .cancel_reason = cancel_reason,
    .wait = wait,
    .enqueue = enqueue,
    .set_error = set_error,
    .set_snooze = set_snooze,
    .progress = progress,
    .save_checkpoint = save_checkpoint,
    .complete = complete,
    .get_extension = get_extension,
};

constexpr jobhost_run_api kDeadLetter = {
    .struct_size = sizeof(jobhost_run_api),
    .reserved0 = 0,
    .log = log,
    .log_enabled = log_enabled,
    .cancel_reason = cancel_reason,
    .wait = wait,
    .enqueue = enqueue,
    .set_error = set_error,
    .set_snooze = nullptr,
    .progress = nullptr,
    .save_checkpoint = nullptr,
    .complete = nullptr,
    .get_extension = get_extension,
};

}  // namespace

const jobhost_run_api& running_job_api() {
    return kRunningJob;
}
const jobhost_run_api& dead_letter_api() {
    return kDeadLetter;
}

}  // namespace jobhost
