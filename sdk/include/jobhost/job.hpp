#pragma once

#include <string_view>
#include <type_traits>

#include <jobhost/context.hpp>
#include <jobhost/job_view.hpp>

namespace jobhost {
inline namespace v1 {

/// What a running job sees of itself and may ask for: its fields (JobView), and besides those of
/// RunContext the calls below.
class JobContext final : public JobView, public RunContext {
public:
    JobContext(const jobhost_job& job, const jobhost_run* run, const jobhost_host* host)
        : JobView(job), RunContext(run, host) {}

    /// This attempt, counted from 1.
    int attempt() const { return abi().attempt; }

    /// `percent` 0 to 100, or -1 = unknown. Cheap to call often.
    void progress(int percent, std::string_view text = {}) const {
        abi_run()->api->progress(abi_run(), percent, detail::str(text));
    }

    /// Durable when it returns; the next attempt finds it in checkpoint(). Replaces the last one;
    /// JSON, at most 1 MiB. Throws Cancelled when the run lost its job, else HostError when it
    /// could not be stored.
    void save_checkpoint(std::string_view json) const {
        const jobhost_status status = abi_run()->api->save_checkpoint(abi_run(), detail::str(json));
        if (status == JOBHOST_OK) return;
        if (cancel_reason() == CancelReason::kLeaseLost) throw Cancelled();
        throw HostError(status, "cannot save the checkpoint: status " + std::to_string(status));
    }

    /// Stored in one transaction with this job's success, dropped when it does not succeed.
    void enqueue_on_success(const Enqueue& job) const {
        RunContext::enqueue(job, JOBHOST_ENQUEUE_ON_SUCCESS);
    }

    /// The work is done: shutdown or an operator can no longer undo the success of this run. False
    /// when the run had already timed out or lost its job.
    bool complete() const { return abi_run()->api->complete(abi_run()) == JOBHOST_OK; }
};

/// A job type. Each run gets a fresh instance; anything thrown ends that attempt.
///
/// Input is the type that the JSON is read into (needs <jobhost/json.hpp>), RawJson for the text
/// itself, or nothing. Runs of one type happen at the same time on different threads.
template <class Input = void>
class Job {
public:
    Job() = default;
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;
    virtual ~Job() = default;
    virtual void execute(const Input& input, JobContext& ctx) = 0;
};

template <>
class Job<void> {
public:
    Job() = default;
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;
    virtual ~Job() = default;
    virtual void execute(JobContext& ctx) = 0;
};

namespace detail {

template <class Input>
void execute(Job<Input>& job, JobContext& ctx) {
    const Input input = ctx.template input<Input>();
    job.execute(input, ctx);
}

template <class Input>
std::true_type is_job(const volatile Job<Input>*);
std::false_type is_job(...);

/// Whether T derives from a Job<...>.
template <class T>
constexpr bool kIsJob = decltype(is_job(static_cast<T*>(nullptr)))::value;

inline void execute(Job<void>& job, JobContext& ctx) {
    job.execute(ctx);
}

}  // namespace detail
}  // namespace v1
}  // namespace jobhost
