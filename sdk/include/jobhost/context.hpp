#pragma once

#include <chrono>
#include <string_view>

#include <jobhost/enqueue.hpp>
#include <jobhost/input.hpp>

namespace jobhost {
inline namespace v1 {

enum class LogLevel : std::int32_t {
    kTrace = JOBHOST_LEVEL_TRACE,
    kDebug = JOBHOST_LEVEL_DEBUG,
    kInfo = JOBHOST_LEVEL_INFO,
    kWarning = JOBHOST_LEVEL_WARNING,
    kError = JOBHOST_LEVEL_ERROR,
    kCritical = JOBHOST_LEVEL_CRITICAL
};

/// Why a run should stop. Set once per run, never taken back.
enum class CancelReason : std::int32_t {
    kNone = JOBHOST_NOT_CANCELLED,
    kTimeout = JOBHOST_CANCEL_TIMEOUT,      ///< the time limit passed; the attempt has failed
    kShutdown = JOBHOST_CANCEL_SHUTDOWN,    ///< the host stops; the job runs again later
    kOperator = JOBHOST_CANCEL_OPERATOR,    ///< somebody cancelled the job
    kLeaseLost = JOBHOST_CANCEL_LEASE_LOST  ///< another node has the job; results are dropped
};

/// Looks for cancellation. Cheap to copy; any thread, until the call that received it returns.
class CancellationToken {
public:
    explicit CancellationToken(const jobhost_run* run) : run_(run) {}

    /// A job that has seen a reason and then returns counts as interrupted, not as succeeded,
    /// unless it calls JobContext::complete().
    CancelReason reason() const {
        return static_cast<CancelReason>(run_->api->cancel_reason(run_));
    }
    bool is_cancelled() const { return reason() != CancelReason::kNone; }
    /// Leaves the run by throwing Cancelled.
    void throw_if_cancelled() const {
        if (is_cancelled()) throw Cancelled();
    }
    /// Sleeps; ends early on cancellation and answers why, else kNone.
    CancelReason wait_for(std::chrono::microseconds duration) const {
        return static_cast<CancelReason>(run_->api->wait(run_, duration.count()));
    }
    /// Sleeps; throws Cancelled on cancellation.
    void sleep_for(std::chrono::microseconds duration) const {
        if (wait_for(duration) != CancelReason::kNone) throw Cancelled();
    }

private:
    const jobhost_run* run_;
};

/// What a job, a dead-letter handler and a forwarder have in common. Any thread, until the call
/// that received it returns; threads that the call started must have stopped using it by then.
class RunContext {
public:
    RunContext(const jobhost_run* run, const jobhost_host* host) : run_(run), host_(host) {}
    RunContext(const RunContext&) = delete;
    RunContext& operator=(const RunContext&) = delete;

    /// Stored with the job (the last 200 lines) and written to the host's log.
    void log(LogLevel level, std::string_view message) const {
        run_->api->log(run_, static_cast<jobhost_level>(level), detail::str(message));
    }
    void log(std::string_view message) const { log(LogLevel::kInfo, message); }
    /// False when a line of this level would be dropped, so that it need not be made.
    bool log_enabled(LogLevel level) const {
        return run_->api->log_enabled(run_, static_cast<jobhost_level>(level)) != 0;
    }

    CancellationToken cancellation() const { return CancellationToken(run_); }
    CancelReason cancel_reason() const { return cancellation().reason(); }
    bool is_cancelled() const { return cancellation().is_cancelled(); }
    void throw_if_cancelled() const { cancellation().throw_if_cancelled(); }
    CancelReason wait_for(std::chrono::microseconds duration) const {
        return cancellation().wait_for(duration);
    }
    void sleep_for(std::chrono::microseconds duration) const { cancellation().sleep_for(duration); }

    /// Stored when it returns. Throws HostError when it is refused or the store is away.
    EnqueueResult enqueue(const Enqueue& job) const { return enqueue(job, 0); }

    /// The plugin's `settings:` from YAML as a JSON object.
    std::string_view settings() const {
        return host_ == nullptr ? std::string_view("{}") : detail::view(host_->settings);
    }
    /// Needs <jobhost/json.hpp>.
    template <class T>
    T settings() const {
        return InputCodec<T>::read(settings());
    }

    const jobhost_run* abi_run() const { return run_; }

protected:
    ~RunContext() = default;

    EnqueueResult enqueue(const Enqueue& job, unsigned flags) const {
        return detail::enqueue_through(
            job, flags, [this](const jobhost_enqueue* options, jobhost_enqueue_result* result) {
                return run_->api->enqueue(run_, options, result);
            });
    }

private:
    const jobhost_run* run_;
    const jobhost_host* host_;
};

}  // namespace v1
}  // namespace jobhost
