#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <jobhost/enqueue.hpp>
#include <jobhost/error.hpp>
#include <jobhost/input.hpp>

namespace jobhost {
inline namespace v1 {

using Time = std::chrono::system_clock::time_point;

namespace detail {

inline std::optional<Time> time_of(std::int64_t micros) {
    if (micros == 0) return std::nullopt;
    return Time(std::chrono::duration_cast<Time::duration>(std::chrono::microseconds(micros)));
}

}  // namespace detail

/// A job's stored fields. Texts are borrowed: valid during the call that received the job.
class JobView {
public:
    explicit JobView(const jobhost_job& job) : job_(&job) {}

    std::int64_t id() const { return job_->id; }
    std::string_view type() const { return detail::view(job_->type); }
    std::string_view queue() const { return detail::view(job_->queue); }
    std::string_view state() const { return detail::view(job_->state); }
    Priority priority() const { return static_cast<Priority>(job_->priority); }
    std::vector<std::string_view> tags() const { return detail::views(job_->tags, job_->n_tags); }

    /// The JSON text, byte for byte as it was enqueued.
    std::string_view input() const { return detail::view(job_->input); }
    /// Throws PayloadError when the text is not a T. Needs <jobhost/json.hpp>.
    template <class T>
    T input() const {
        return InputCodec<T>::read(input());
    }

    /// The limit of attempts in force.
    int max_attempts() const { return job_->max_attempts; }
    /// What the enqueuer asked for; nothing when it did not.
    std::optional<int> max_attempts_requested() const {
        if (job_->max_attempts_requested < 0) return std::nullopt;
        return job_->max_attempts_requested;
    }
    int snoozes() const { return job_->snoozes; }
    /// Grows with every run of this job and never goes back: pass it to outside systems so that
    /// they can refuse a late writer.
    std::int64_t fence() const { return job_->fence; }

    std::optional<Time> created_at() const { return detail::time_of(job_->created_at_us); }
    std::optional<Time> run_at() const { return detail::time_of(job_->run_at_us); }
    std::optional<Time> started_at() const { return detail::time_of(job_->started_at_us); }
    std::optional<Time> finished_at() const { return detail::time_of(job_->finished_at_us); }
    /// The time before which it had to start.
    std::optional<Time> expires_at() const { return detail::time_of(job_->expires_at_us); }
    /// The limit of one run; 0 = none.
    std::chrono::microseconds timeout() const {
        return std::chrono::microseconds(job_->timeout_us);
    }

    /// Who made it: "cli", "http", "job:7", "recurring:nightly", ...
    std::string_view source() const { return detail::view(job_->source); }
    std::string_view idempotency_key() const { return detail::view(job_->idempotency_key); }
    std::int64_t parent_id() const { return job_->parent_id; }
    std::string_view traceparent() const { return detail::view(job_->traceparent); }

    /// What an earlier attempt saved last; empty = nothing.
    std::string_view checkpoint() const { return detail::view(job_->checkpoint); }
    /// Nothing when there is no checkpoint. Needs <jobhost/json.hpp>.
    template <class T>
    std::optional<T> checkpoint() const {
        if (checkpoint().empty()) return std::nullopt;
        return InputCodec<T>::read(checkpoint());
    }
    std::string_view progress_text() const { return detail::view(job_->progress_text); }
    /// 0 to 100; -1 = unknown.
    int progress_percent() const { return job_->progress_percent; }

    /// Errors of the attempts so far, oldest first, at most 50.
    std::vector<Error> errors() const {
        std::vector<Error> result;
        for (std::size_t i = 0; i < job_->n_errors; ++i) result.emplace_back(*job_->errors[i]);
        return result;
    }
    /// The job's own log, oldest first, at most 200 lines.
    std::vector<std::string_view> log_lines() const {
        return detail::views(job_->log_lines, job_->n_log_lines);
    }

    const jobhost_job& abi() const { return *job_; }

private:
    const jobhost_job* job_;
};

}  // namespace v1
}  // namespace jobhost
