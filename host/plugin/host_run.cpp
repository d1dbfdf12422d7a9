#include "host/plugin/host_run.h"

#include <utility>

#include "host/plugin/plugin_host.h"
#include "host/plugin/run_api.h"
#include "storage/enqueue_rules.h"

namespace jobhost {
namespace {

constexpr std::size_t kMostCheckpointBytes = std::size_t{1024} * 1024;

Asked invalid(std::string why) {
    return {.status = AskStatus::kInvalid, .why = std::move(why)};
}

}  // namespace

HostRun::HostRun(RunContext& job)
    : jobhost_run{&running_job_api()},
      run_(&job),
      context_(&job),
      host_(nullptr),
      job_(job.job().lease.job),
      traceparent_(&job.job().traceparent) {}

HostRun::HostRun(PluginContext& context, const Job& job)
    : jobhost_run{&dead_letter_api()},
      run_(nullptr),
      context_(&context),
      host_(nullptr),
      job_(job.id),
      traceparent_(&job.traceparent) {}

HostRun::HostRun(const PluginHost& log)
    : jobhost_run{&dead_letter_api()},
      run_(nullptr),
      context_(nullptr),
      host_(&log),
      job_(0),
      traceparent_(nullptr) {}

std::optional<ThrownError> HostRun::take_error() {
    const std::lock_guard lock(mutex_);
    return std::exchange(error_, std::nullopt);
}

std::optional<Duration> HostRun::snooze() {
    const std::lock_guard lock(mutex_);
    return snooze_;
}

void HostRun::log(LogLevel level, std::string_view text) const {
    if (context_ != nullptr) {
        context_->log(level, text);
    } else {
        host_->log(level, text);
    }
}

bool HostRun::log_enabled(LogLevel level) const {
    // A job's lines are stored with it, at every level.
    return context_ != nullptr || host_->log_enabled(level);
}

StopCause HostRun::stop_cause() const {
    return context_ != nullptr ? context_->stop_cause() : StopCause::kNone;
}

StopCause HostRun::wait(Duration at_most) const {
    if (context_ == nullptr) return StopCause::kNone;
    return at_most > Duration::zero() ? context_->wait(at_most) : context_->stop_cause();
}

Asked HostRun::enqueue(NewJob job, bool on_success) const {
    if (context_ == nullptr) return invalid("applies_to only looks: enqueue in forward");
    job.source = "job:" + std::to_string(job_);
    if (!job.traceparent) job.traceparent = *traceparent_;
    if (!on_success) return context_->enqueue(std::move(job));
    if (run_ == nullptr) return invalid("only a running job can enqueue with its success");
    return run_->enqueue_on_success(std::move(job));
}

void HostRun::set_error(ThrownError error) const {
    const std::lock_guard lock(mutex_);
    error_ = std::move(error);
}

void HostRun::set_snooze(Duration delay) const {
    const std::lock_guard lock(mutex_);
    snooze_ = delay;
}

void HostRun::progress(int percent, std::string_view text) const {
    if (run_ != nullptr) run_->progress(percent, text);
}

Asked HostRun::save_checkpoint(std::string_view json) const {
    if (run_ == nullptr) return invalid("only a running job has a checkpoint");
    if (json.size() > kMostCheckpointBytes) {
        return invalid("the checkpoint has " + std::to_string(json.size()) +
                       " bytes; the limit is 1 MiB");
    }
    if (auto mistake = check_json(json)) return invalid("the checkpoint: " + *mistake);
    return run_->save_checkpoint(json);
}

bool HostRun::complete() const {
    return run_ != nullptr && run_->complete();
}

}  // namespace jobhost
