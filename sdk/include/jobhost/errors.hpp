#pragma once

// What a job may throw besides its own errors, and the host's own error types, so that they can be
// named in do_not_retry<...>() and Error::is<T>().

#include <chrono>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <jobhost/detail/config.hpp>

namespace jobhost {
inline namespace v1 {

/// A failure whose next delay is known (such as HTTP 429). Replaces the policy's delay; the limit,
/// do_not_retry and retry_for stay in force. A negative delay counts as 0.
class RetryAfter : public std::exception {
public:
    RetryAfter(std::chrono::microseconds delay, std::string message)
        : delay_(delay), message_(std::move(message)) {}
    const char* what() const noexcept override { return message_.c_str(); }
    std::chrono::microseconds delay() const noexcept { return delay_; }

private:
    std::chrono::microseconds delay_;
    std::string message_;
};

/// Not a failure: run the job again later (at least 1 s) without using the attempt.
class Snooze : public std::exception {
public:
    explicit Snooze(std::chrono::microseconds delay) : delay_(delay) {}
    const char* what() const noexcept override { return "snoozed"; }
    std::chrono::microseconds delay() const noexcept { return delay_; }

private:
    std::chrono::microseconds delay_;
};

/// Fail for good now, whatever attempts are left; with dead-letter handling.
class DeadLetter : public std::exception {
public:
    explicit DeadLetter(std::string reason) : reason_(std::move(reason)) {}
    const char* what() const noexcept override { return reason_.c_str(); }

private:
    std::string reason_;
};

/// The job is no longer wanted: it ends as cancelled, without dead-letter handling.
class Discard : public std::exception {
public:
    explicit Discard(std::string reason) : reason_(std::move(reason)) {}
    const char* what() const noexcept override { return reason_.c_str(); }

private:
    std::string reason_;
};

/// Leaves a run that was cancelled; JobContext::throw_if_cancelled() and sleep_for() throw it.
class Cancelled : public std::exception {
public:
    const char* what() const noexcept override { return "cancelled"; }
};

/// Several errors at once. do_not_retry looks into it only when it holds exactly one.
class AggregateError : public std::exception {
public:
    explicit AggregateError(std::vector<std::exception_ptr> errors)
        : AggregateError(std::move(errors), std::string()) {}
    AggregateError(std::vector<std::exception_ptr> errors, std::string message)
        : errors_(std::move(errors)), message_(std::move(message)) {
        if (message_.empty()) message_ = std::to_string(errors_.size()) + " errors";
    }
    const char* what() const noexcept override { return message_.c_str(); }
    const std::vector<std::exception_ptr>& errors() const noexcept { return errors_; }

private:
    std::vector<std::exception_ptr> errors_;
    std::string message_;
};

/// The input is not what the job type reads. Never retried, unless YAML says otherwise.
class PayloadError : public std::exception {
public:
    /// `pointer` is the JSON pointer of the wrong value ("/amount"), empty when it is not known.
    explicit PayloadError(std::string message, std::string pointer = {})
        : message_(std::move(message)), pointer_(std::move(pointer)) {}
    const char* what() const noexcept override { return message_.c_str(); }
    const std::string& pointer() const noexcept { return pointer_; }

private:
    std::string message_;
    std::string pointer_;
};

/// The host refused or could not do what it was asked for (enqueue, save_checkpoint).
class HostError : public std::runtime_error {
public:
    HostError(jobhost_status status, const std::string& message, std::int64_t existing_id = 0)
        : std::runtime_error(message), status_(status), existing_id_(existing_id) {}
    /// JOBHOST_INVALID, JOBHOST_CONFLICT (the key is held), JOBHOST_UNAVAILABLE, ...
    jobhost_status status() const noexcept { return status_; }
    /// With JOBHOST_CONFLICT: the job that holds the idempotency key.
    std::int64_t existing_id() const noexcept { return existing_id_; }

private:
    jobhost_status status_;
    std::int64_t existing_id_;
};

// Made by the host, never thrown inside a plugin: names for do_not_retry and Error::is.

/// A run went past its time limit.
class TimeoutError : public std::exception {};
/// The process that ran the job died of it.
class CrashedError : public std::exception {};
/// The job's node died and no attempt was left.
class OrphanedJobError : public std::exception {};

}  // namespace v1
}  // namespace jobhost
