#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <jobhost/abi.h>

#include "host/engine/thrown_error.h"
#include "storage/enqueue_rules.h"
#include "storage/storage.h"

namespace jobhost {

// Jobs and errors in the form of the border. All texts stay where they are; the views must not
// outlive what they were made from.

/// A job about to run. Made for every run, so it allocates nothing and clears nothing twice.
class RunningJobView {
public:
    RunningJobView(const ClaimedJob& job, std::string_view type, std::string_view queue);
    RunningJobView(const RunningJobView&) = delete;
    RunningJobView& operator=(const RunningJobView&) = delete;
    const jobhost_job* get() const { return &job_; }

private:
    jobhost_str tags_[kMaxTags];  // filled as far as there are tags
    jobhost_job job_;
};

/// One error.
class ErrorView {
public:
    explicit ErrorView(const JobError& error);
    const jobhost_error* get() const { return &error_; }

private:
    std::vector<jobhost_str> bases_;
    jobhost_error error_ = {};
};

/// A failed job, with its last error.
class FailedJobView {
public:
    explicit FailedJobView(const Job& job);
    FailedJobView(const FailedJobView&) = delete;
    FailedJobView& operator=(const FailedJobView&) = delete;
    const jobhost_failed_job* get() const { return &failed_; }

private:
    const JobError last_error_;
    const ErrorView last_;
    std::vector<jobhost_str> tags_ = {};
    std::vector<std::unique_ptr<ErrorView>> errors_ = {};
    std::vector<const jobhost_error*> error_pointers_ = {};
    std::vector<jobhost_str> log_lines_ = {};
    jobhost_job job_ = {};
    jobhost_failed_job failed_ = {};
};

/// What little a delay function is told about its job.
jobhost_job job_outline(JobId id, std::string_view type, std::string_view queue, int attempt,
                        int max_attempts);

}  // namespace jobhost
