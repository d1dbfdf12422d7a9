#pragma once

// What a plugin registered, each with its C table. The tables point into the records, so records
// never move once they are made.

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include <jobhost/dead_letter.hpp>
#include <jobhost/detail/guard.hpp>
#include <jobhost/job.hpp>
#include <jobhost/retry.hpp>

namespace jobhost {
inline namespace v1 {
namespace detail {

/// The host as the thunks find it: null until the plugin was started.
struct HostSlot {
    const jobhost_host* host = nullptr;
};

struct JobTypeRecord {
    std::string name;
    RetryOptions retry;
    std::vector<std::string> do_not_retry;
    std::function<void(JobContext&)> body;
    const HostSlot* slot = nullptr;
    jobhost_job_type abi{};
    jobhost_retry_policy retry_abi{};
    std::vector<jobhost_str> do_not_retry_abi{};

    static jobhost_status run(void*, const jobhost_job_type* type, const jobhost_job* job,
                              const jobhost_run* run) noexcept {
        const auto& self = *static_cast<const JobTypeRecord*>(type->data);
        return guarded_job(run, [&] {
            JobContext ctx(*job, run, self.slot->host);
            self.body(ctx);
        });
    }

    void finish() {
        retry_abi.struct_size = sizeof retry_abi;
        retry_abi.max_attempts = retry.max_attempts.value_or(-1);
        retry_abi.initial_delay_us = micros(retry.initial_delay);
        retry_abi.multiplier = retry.multiplier.value_or(0.0);
        retry_abi.max_delay_us = micros(retry.max_delay);
        retry_abi.delay = retry.delay ? str(*retry.delay) : jobhost_str{};
        retry_abi.retry_for_us = micros(retry.retry_for);
        do_not_retry_abi = strs(do_not_retry);
        abi.struct_size = sizeof abi;
        abi.name = str(name);
        abi.retry = &retry_abi;
        abi.do_not_retry = do_not_retry_abi.data();
        abi.n_do_not_retry = do_not_retry_abi.size();
        abi.data = this;
        abi.run = &run;
    }
};

struct DeadLetterRecord {
    std::string job_type;
    std::function<void(const FailedJob&, const Error&, DeadLetterContext&)> body;
    const HostSlot* slot = nullptr;
    jobhost_dead_letter_handler abi{};

    static jobhost_status handle(void*, const jobhost_dead_letter_handler* handler,
                                 const jobhost_failed_job* failed,
                                 const jobhost_run* run) noexcept {
        const auto& self = *static_cast<const DeadLetterRecord*>(handler->data);
        return guarded_handler(run, [&] {
            DeadLetterContext ctx(run, self.slot->host);
            self.body(FailedJob(*failed->job), Error(*failed->error), ctx);
        });
    }

    void finish() {
        abi.struct_size = sizeof abi;
        abi.job_type = str(job_type);
        abi.data = this;
        abi.handle = &handle;
    }
};

struct ForwarderRecord {
    std::string name;
    std::function<void(const std::function<void(Forwarder&)>&)> with_forwarder;
    const HostSlot* slot = nullptr;
    jobhost_forwarder abi{};

    static int32_t applies_to(void*, const jobhost_forwarder* forwarder,
                              const jobhost_failed_job* failed, const jobhost_run* run) noexcept {
        const auto& self = *static_cast<const ForwarderRecord*>(forwarder->data);
        bool applies = false;
        const jobhost_status status = guarded_handler(run, [&] {
            self.with_forwarder(
                [&](Forwarder& made) { applies = made.applies_to(FailedJob(*failed->job)); });
        });
        if (status != JOBHOST_OK) return -1;
        return applies ? 1 : 0;
    }

    static jobhost_status forward(void*, const jobhost_forwarder* forwarder,
                                  const jobhost_failed_job* failed,
                                  const jobhost_run* run) noexcept {
        const auto& self = *static_cast<const ForwarderRecord*>(forwarder->data);
        return guarded_handler(run, [&] {
            DeadLetterContext ctx(run, self.slot->host);
            self.with_forwarder([&](Forwarder& made) {
                made.forward(FailedJob(*failed->job), Error(*failed->error), ctx);
            });
        });
    }

    void finish() {
        abi.struct_size = sizeof abi;
        abi.name = str(name);
        abi.data = this;
        abi.applies_to = &applies_to;
        abi.forward = &forward;
    }
};

struct RetryDelayRecord {
    std::string name;
    RetryDelay body;
    const HostSlot* slot = nullptr;
    jobhost_retry_delay abi{};

    static int64_t delay_us(void*, const jobhost_retry_delay* delay,
                            const jobhost_retry_info* info) noexcept {
        const auto& self = *static_cast<const RetryDelayRecord*>(delay->data);
        std::int64_t answer = JOBHOST_DELAY_AS_POLICY;
        const jobhost_status status = guarded_call(self.slot->host, [&] {
            const auto chosen = self.body(RetryInfo(*info));
            if (chosen) answer = chosen->count();
        });
        return status == JOBHOST_OK ? answer : -1;
    }

    void finish() {
        abi.struct_size = sizeof abi;
        abi.name = str(name);
        abi.data = this;
        abi.delay_us = &delay_us;
    }
};

struct ErrorTypeRecord {
    std::string name;
    std::vector<std::string> bases;
    std::vector<jobhost_str> bases_abi{};
    jobhost_error_type abi{};

    void finish() {
        bases_abi = strs(bases);
        abi.struct_size = sizeof abi;
        abi.name = str(name);
        abi.bases = bases_abi.data();
        abi.n_bases = bases_abi.size();
    }
};

/// Finishes all records and lists their tables.
template <class Record>
auto finish_all(std::deque<Record>& records) {
    std::vector<const decltype(Record::abi)*> tables;
    for (Record& record : records) {
        record.finish();
        tables.push_back(&record.abi);
    }
    return tables;
}

}  // namespace detail
}  // namespace v1
}  // namespace jobhost
