#pragma once

// Calls a plugin's tables the way a host does.

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <jobhost/detail/entry.hpp>
#include <jobhost/detail/testing_host.hpp>

namespace jobhost {
inline namespace v1 {
namespace detail {

/// A jobhost_job made of a RunSetup, which must outlive it.
class TestJobFields {
public:
    TestJobFields(const testing::RunSetup& setup, std::string_view type, const char* state)
        : tags_(strs(setup.tags)) {
        abi_.struct_size = sizeof abi_;
        abi_.id = setup.id;
        abi_.type = str(type);
        abi_.queue = str(setup.queue);
        abi_.state = str(state);
        abi_.priority = static_cast<std::int32_t>(setup.priority);
        abi_.attempt = setup.attempt;
        abi_.max_attempts = setup.max_attempts;
        abi_.max_attempts_requested = -1;
        abi_.fence = setup.fence;
        abi_.input = str(setup.input);
        abi_.tags = tags_.data();
        abi_.n_tags = tags_.size();
        abi_.created_at_us = abi_.run_at_us = abi_.started_at_us = 1;
        abi_.source = JOBHOST_STR_LIT("test");
        abi_.idempotency_key = str(setup.idempotency_key);
        abi_.traceparent = str(setup.traceparent);
        abi_.checkpoint = str(setup.checkpoint);
        abi_.reason = str(setup.reason);
        abi_.progress_percent = -1;
    }
    TestJobFields(const TestJobFields&) = delete;
    TestJobFields& operator=(const TestJobFields&) = delete;
    const jobhost_job& abi() const { return abi_; }

private:
    std::vector<jobhost_str> tags_;
    jobhost_job abi_{};
};

inline void prepare(TestRun& run, const testing::RunSetup& setup) {
    run.cancel_with = setup.cancel;
    run.cancel_at_look = setup.cancel_at_look;
    run.refuse_enqueue = setup.refuse_enqueue;
    run.refuse_checkpoint = setup.refuse_checkpoint;
}

inline testing::RunResult collect(TestRun& run, testing::Outcome outcome) {
    testing::RunResult result;
    result.outcome = outcome;
    result.error = std::move(run.last_error);
    result.snooze = run.snooze;
    result.log = std::move(run.log);
    result.progress = std::move(run.progress);
    result.checkpoints = std::move(run.checkpoints);
    result.enqueued = std::move(run.enqueued);
    if (result.succeeded()) result.enqueued_on_success = std::move(run.enqueued_on_success);
    result.waited = run.waited;
    result.looks = run.looks;
    result.completed = run.completed;
    return result;
}

inline void become_timeout(TestRun& run) {
    testing::RecordedError timeout;
    timeout.type = type_name<TimeoutError>();
    timeout.types = {timeout.type, "std::exception"};
    timeout.message = "the time limit passed";
    if (run.last_error) timeout.causes.push_back(std::move(*run.last_error));
    run.last_error = std::move(timeout);
}

/// The rules by which a host reads a run's answer.
inline testing::Outcome outcome_of(TestRun& run, jobhost_status status) {
    using testing::Outcome;
    if (run.saw_cancellation && !run.completed) {
        if (run.cancel_with == CancelReason::kLeaseLost) return Outcome::kCancelled;
        if (run.cancel_with == CancelReason::kTimeout) {
            become_timeout(run);
            return Outcome::kFailed;
        }
        if (status == JOBHOST_OK || status == JOBHOST_CANCELLED) return Outcome::kCancelled;
        if (run.cancel_with == CancelReason::kOperator) return Outcome::kCancelled;
    }
    switch (status) {
        case JOBHOST_OK: return Outcome::kSucceeded;
        case JOBHOST_SNOOZE: return Outcome::kSnoozed;
        case JOBHOST_DEAD_LETTER: return Outcome::kDeadLettered;
        case JOBHOST_DISCARD: return Outcome::kDiscarded;
        case JOBHOST_CANCELLED: return run.completed ? Outcome::kSucceeded : Outcome::kCancelled;
        default: return Outcome::kFailed;
    }
}

/// Describes `error` as if a job had thrown it, and hands the description on.
template <class E, class Use>
void with_described(const E& error, Use&& use) {
    try {
        throw error;
    } catch (...) {
        use(*ErrorRecord::of_current_exception()->finish());
    }
}

inline testing::RunResult run_job(const jobhost_job_type& type, void* self,
                                  const testing::RunSetup& setup) {
    TestRun run(true);
    prepare(run, setup);
    const TestJobFields job(setup, view(type.name), "processing");
    const jobhost_status status = type.run(self, &type, &job.abi(), &run.abi);
    const testing::Outcome outcome = outcome_of(run, status);
    return collect(run, outcome);
}

/// `call(const jobhost_failed_job*, TestRun&)` answers a status.
template <class E, class Call>
testing::RunResult run_failed(std::string_view type, const testing::RunSetup& setup, const E& error,
                              Call&& call) {
    TestRun run(false);
    prepare(run, setup);
    const TestJobFields job(setup, type, "failed");
    jobhost_status status = JOBHOST_ERROR;
    with_described(error, [&](const jobhost_error& described) {
        jobhost_failed_job failed{};
        failed.struct_size = sizeof failed;
        failed.job = &job.abi();
        failed.error = &described;
        status = call(&failed, run);
    });
    return collect(run,
                   status == JOBHOST_OK ? testing::Outcome::kSucceeded : testing::Outcome::kFailed);
}

template <class E>
testing::RunResult run_handler(const jobhost_dead_letter_handler& handler, void* self,
                               std::string_view type, const testing::RunSetup& setup,
                               const E& error) {
    return run_failed(type, setup, error, [&](const jobhost_failed_job* job, TestRun& run) {
        return handler.handle(self, &handler, job, &run.abi);
    });
}

template <class E>
testing::RunResult run_forwarder(const jobhost_forwarder& forwarder, void* self,
                                 std::string_view type, const testing::RunSetup& setup,
                                 const E& error) {
    bool applied = false;
    auto result = run_failed(type, setup, error, [&](const jobhost_failed_job* job, TestRun& run) {
        const int32_t answer = forwarder.applies_to(self, &forwarder, job, &run.abi);
        applied = answer > 0;
        if (answer < 0) return jobhost_status{JOBHOST_ERROR};
        if (answer == 0) return jobhost_status{JOBHOST_OK};
        return forwarder.forward(self, &forwarder, job, &run.abi);
    });
    result.applied = applied;
    return result;
}

template <class E>
std::optional<std::chrono::microseconds> ask_retry_delay(const jobhost_retry_delay& delay,
                                                         void* self, const testing::RunSetup& setup,
                                                         const E& error, std::uint64_t random) {
    std::int64_t answer = -1;
    with_described(error, [&](const jobhost_error& described) {
        const TestJobFields job(setup, "test.job", "processing");
        jobhost_retry_info info{};
        info.struct_size = sizeof info;
        info.attempts_made = setup.attempt;
        info.max_attempts = setup.max_attempts;
        info.job = &job.abi();
        info.error = &described;
        info.policy_delay_us = 15'000'000;
        info.random = random;
        answer = delay.delay_us(self, &delay, &info);
    });
    if (answer == JOBHOST_DELAY_AS_POLICY) return std::nullopt;
    return std::chrono::microseconds(answer);
}

/// The table whose text `name_of` is `name`.
template <class Table>
const Table& find_table(const Table* const* tables, std::size_t count, jobhost_str Table::*name_of,
                        std::string_view name) {
    for (std::size_t i = 0; i < count; ++i) {
        if (view(tables[i]->*name_of) == name) return *tables[i];
    }
    throw std::out_of_range("the plugin did not register " + std::string(name));
}

/// A plugin made for one test, started with the setup's settings.
class TestPlugin {
public:
    explicit TestPlugin(const testing::RunSetup& setup) : host_(setup.settings.value_or("{}")) {}
    Plugin& registry() { return plugin_; }
    const jobhost_plugin& started() {
        const jobhost_plugin* tables = plugin_.finish();
        plugin_.start(&host_.abi);
        return *tables;
    }

private:
    TestHost host_;
    Plugin plugin_{"test", "0"};
};

}  // namespace detail

}  // namespace v1
}  // namespace jobhost
