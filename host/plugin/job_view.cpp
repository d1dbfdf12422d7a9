#include "host/plugin/job_view.h"

#include <algorithm>
#include <string>

#include "host/plugin/abi_values.h"

namespace jobhost {
namespace {

std::int64_t microseconds(TimePoint at) {
    return at.time_since_epoch().count();
}
std::int64_t microseconds(const std::optional<TimePoint>& at) {
    return at ? microseconds(*at) : 0;
}
jobhost_str borrow_optional(const std::optional<std::string>& text) {
    return text ? borrow(*text) : jobhost_str{nullptr, 0};
}

/// A failed job has a last error; a row that lost it must not break its handler.
JobError last_error_of(const Job& job) {
    if (job.last_error) return *job.last_error;
    if (!job.errors.empty()) return job.errors.back();
    return JobError{.type = "jobhost::UnknownError",
                    .types = {"jobhost::UnknownError", "std::exception"},
                    .message = job.reason};
}

}  // namespace

RunningJobView::RunningJobView(const ClaimedJob& job, std::string_view type,
                               std::string_view queue) {
    // The store accepts at most kMaxTags; more can only come from a broken row.
    const std::size_t n_tags = std::min(job.tags.size(), kMaxTags);
    for (std::size_t i = 0; i < n_tags; ++i) tags_[i] = borrow(job.tags[i]);
    job_ = jobhost_job{
        .struct_size = sizeof(jobhost_job),
        .flags = 0,
        .id = job.lease.job,
        .type = borrow(type),
        .queue = borrow(queue),
        .state = JOBHOST_STR_LIT("processing"),
        .priority = static_cast<jobhost_priority>(job.priority),
        .attempt = job.attempt,
        .max_attempts = job.max_attempts,
        .max_attempts_requested = job.max_attempts_requested.value_or(-1),
        .fence = job.lease.fence,
        .input = borrow(job.input),
        .tags = n_tags == 0 ? nullptr : tags_,
        .n_tags = n_tags,
        .created_at_us = microseconds(job.created_at),
        .run_at_us = microseconds(job.run_at),
        .started_at_us = microseconds(job.claimed_at),
        .finished_at_us = 0,
        .expires_at_us = microseconds(job.expires_at),
        .timeout_us = job.timeout_requested.value_or(Duration::zero()).count(),
        .source = borrow(job.source),
        .idempotency_key = borrow_optional(job.idempotency_key),
        .parent_id = 0,
        .traceparent = borrow_optional(job.traceparent),
        .reason = {},
        .checkpoint = borrow_optional(job.checkpoint),
        .progress_text = {},
        .progress_percent = -1,
        .snoozes = job.snoozes,
        .errors = nullptr,
        .n_errors = 0,
        .log_lines = nullptr,
        .n_log_lines = 0,
    };
}

ErrorView::ErrorView(const JobError& error) {
    for (const std::string& base : error.types) {
        if (base != error.type) bases_.push_back(borrow(base));
    }
    error_.struct_size = sizeof error_;
    error_.type = borrow(error.type);
    error_.bases = bases_.empty() ? nullptr : bases_.data();
    error_.n_bases = bases_.size();
    error_.message = borrow(error.message);
    error_.stack = borrow(error.stack_trace);
    error_.failed_at_us = microseconds(error.at);
    error_.attempt = error.attempt;
}

FailedJobView::FailedJobView(const Job& job) : last_error_(last_error_of(job)), last_(last_error_) {
    for (const std::string& tag : job.tags) tags_.push_back(borrow(tag));
    for (const JobError& error : job.errors) {
        errors_.push_back(std::make_unique<ErrorView>(error));
        error_pointers_.push_back(errors_.back()->get());
    }
    for (const LogLine& line : job.log) log_lines_.push_back(borrow(line.text));

    job_ = job_outline(job.id, job.type, job.queue, job.attempts, job.max_attempts.value_or(0));
    job_.state = borrow(to_string(job.state));
    job_.priority = static_cast<jobhost_priority>(job.priority);
    job_.max_attempts_requested = job.max_attempts_requested.value_or(-1);
    job_.fence = job.fence;
    job_.input = borrow(job.input);
    job_.tags = tags_.data();
    job_.n_tags = tags_.size();
    job_.created_at_us = microseconds(job.created_at);
    job_.run_at_us = microseconds(job.run_at);
    job_.started_at_us = microseconds(job.started_at);
    job_.finished_at_us = microseconds(job.finished_at);
    job_.expires_at_us = microseconds(job.expires_at);
    job_.timeout_us = job.timeout_requested.value_or(Duration::zero()).count();
    job_.source = borrow(job.source);
    job_.idempotency_key = borrow_optional(job.idempotency_key);
    job_.parent_id = job.parent_id.value_or(0);
    job_.traceparent = borrow_optional(job.traceparent);
    job_.reason = borrow(job.reason);
    job_.checkpoint = borrow_optional(job.checkpoint);
    job_.progress_text = borrow(job.progress_text);
    job_.progress_percent = job.progress_percent.value_or(-1);
    job_.snoozes = job.snoozes;
    job_.errors = error_pointers_.data();
    job_.n_errors = error_pointers_.size();
    job_.log_lines = log_lines_.data();
    job_.n_log_lines = log_lines_.size();
    failed_ = {.struct_size = sizeof failed_, .flags = 0, .job = &job_, .error = last_.get()};
}

jobhost_job job_outline(JobId id, std::string_view type, std::string_view queue, int attempt,
                        int max_attempts) {
    jobhost_job job = {};
    job.struct_size = sizeof job;
    job.id = id;
    job.type = borrow(type);
    job.queue = borrow(queue);
    job.state = JOBHOST_STR_LIT("processing");
    job.priority = JOBHOST_PRIORITY_NORMAL;
    job.attempt = attempt;
    job.max_attempts = max_attempts;
    job.max_attempts_requested = -1;
    job.progress_percent = -1;
    return job;
}

}  // namespace jobhost
