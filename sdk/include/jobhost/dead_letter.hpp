#pragma once

#include <stdexcept>

#include <jobhost/context.hpp>
#include <jobhost/error.hpp>
#include <jobhost/job_view.hpp>

namespace jobhost {
inline namespace v1 {

/// A job that failed for good, as it is stored. Borrowed: valid during the call.
class FailedJob : public JobView {
public:
    using JobView::JobView;

    /// The attempts that count.
    int attempts() const { return abi().attempt; }
    /// By which rule it failed: "exhausted", "must_not_retry", "orphaned", ...
    std::string_view reason() const { return detail::view(abi().reason); }
};

/// What a dead-letter handler and a forwarder may ask for: logging, enqueueing, cancellation,
/// settings (RunContext).
class DeadLetterContext final : public RunContext {
public:
    using RunContext::RunContext;
};

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverloaded-virtual"
#endif

/// Runs once after a job of type JobT became failed, in a fresh instance. Override one of the two.
/// What it throws is logged and kept with the job, and changes nothing else.
template <class JobT>
class DeadLetterHandler {
public:
    using JobType = JobT;

    DeadLetterHandler() = default;
    DeadLetterHandler(const DeadLetterHandler&) = delete;
    DeadLetterHandler& operator=(const DeadLetterHandler&) = delete;
    virtual ~DeadLetterHandler() = default;

    virtual void handle(const FailedJob&, const Error&, CancellationToken) {
        throw std::logic_error("the dead-letter handler does not override handle()");
    }
    virtual void handle(const FailedJob& job, const Error& error, DeadLetterContext& ctx) {
        handle(job, error, ctx.cancellation());
    }
};

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

/// Runs after the handler for every failed job of any type that it applies to, such as an audit
/// trail or an alert. A fresh instance for each job.
class Forwarder {
public:
    Forwarder() = default;
    Forwarder(const Forwarder&) = delete;
    Forwarder& operator=(const Forwarder&) = delete;
    virtual ~Forwarder() = default;

    /// Must be quick.
    virtual bool applies_to(const FailedJob& job) = 0;
    virtual void forward(const FailedJob& job, const Error& error, DeadLetterContext& ctx) = 0;
};

}  // namespace v1
}  // namespace jobhost
