#pragma once

// The host's side of the ABI for unit tests: it records what is asked of it, and stores nothing.

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jobhost/detail/testing_records.hpp>

namespace jobhost {
inline namespace v1 {

namespace detail {

inline testing::RecordedError recorded(const jobhost_error& error) {
    testing::RecordedError result;
    const Error source(error);
    result.type = source.type();
    for (std::string_view name : source.types()) result.types.emplace_back(name);
    result.message = source.message();
    result.throw_site_known = error.n_frames > 0;
    if ((error.flags & JOBHOST_ERROR_RETRY_AFTER) != 0) {
        result.retry_after = std::chrono::microseconds(error.retry_after_us);
    }
    for (std::size_t i = 0; i < error.n_causes; ++i) {
        result.causes.push_back(recorded(*error.causes[i]));
    }
    return result;
}

inline std::optional<std::chrono::microseconds> duration_of(std::int64_t micros) {
    if (micros < 0) return std::nullopt;
    return std::chrono::microseconds(micros);
}

inline std::optional<std::chrono::system_clock::time_point> moment_of(std::int64_t micros) {
    using Moment = std::chrono::system_clock::time_point;
    if (micros == 0) return std::nullopt;
    return Moment(std::chrono::duration_cast<Moment::duration>(std::chrono::microseconds(micros)));
}

inline Enqueue recorded(const jobhost_enqueue& job) {
    Enqueue result;
    result.type = view(job.type);
    result.input = view(job.input);
    result.queue = view(job.queue);
    if (job.priority >= 0) result.priority = static_cast<Priority>(job.priority);
    if (job.max_attempts >= 0) result.max_attempts = job.max_attempts;
    result.delay = duration_of(job.delay_us);
    result.run_at = moment_of(job.run_at_us);
    result.deadline_after = duration_of(job.deadline_after_us);
    result.deadline_at = moment_of(job.deadline_at_us);
    result.timeout = duration_of(job.timeout_us);
    for (std::string_view tag : views(job.tags, job.n_tags)) result.tags.emplace_back(tag);
    result.idempotency_key = view(job.idempotency_key);
    result.on_duplicate = static_cast<OnDuplicate>(job.on_duplicate);
    result.on_parent_failed = static_cast<OnParentFailed>(job.on_parent_failed);
    result.after = job.after;
    result.traceparent = view(job.traceparent);
    return result;
}

/// Behind a jobhost_run. Thread-safe, as a host is; read the records when the call has returned.
struct TestRun {
    jobhost_run abi{};  // first: the ABI casts between the two
    mutable std::mutex mutex;
    CancelReason cancel_with = CancelReason::kNone;
    int cancel_at_look = 1;  // the n-th look sees it
    std::optional<jobhost_status> refuse_enqueue;
    std::optional<jobhost_status> refuse_checkpoint;

    int looks = 0;
    bool saw_cancellation = false;
    bool completed = false;
    std::chrono::microseconds waited{0};
    std::chrono::microseconds snooze{0};
    std::optional<testing::RecordedError> last_error;
    std::vector<testing::LogLine> log;
    std::vector<testing::Progress> progress;
    std::vector<std::string> checkpoints;
    std::vector<Enqueue> enqueued;
    std::vector<Enqueue> enqueued_on_success;

    explicit TestRun(bool is_job) { abi.api = is_job ? &job_api() : &dead_letter_api(); }

    /// The caller holds the mutex.
    jobhost_cancel look() {
        if (!saw_cancellation) ++looks;
        if (cancel_with == CancelReason::kNone || looks < cancel_at_look) return 0;
        saw_cancellation = true;
        return static_cast<jobhost_cancel>(cancel_with);
    }

    static TestRun& of(const jobhost_run* run) {
        // The object behind a jobhost_run is the TestRun that it is the first member of.
        return *const_cast<TestRun*>(reinterpret_cast<const TestRun*>(run));
    }

    static const jobhost_run_api& dead_letter_api() {
        static const jobhost_run_api api = [] {
            jobhost_run_api result{};
            result.struct_size = sizeof result;
            result.log = [](const jobhost_run* run, jobhost_level level, jobhost_str text) {
                TestRun& self = of(run);
                const std::lock_guard<std::mutex> lock(self.mutex);
                self.log.push_back({static_cast<LogLevel>(level), std::string(view(text))});
            };
            result.log_enabled = [](const jobhost_run*, jobhost_level) { return int32_t{1}; };
            result.cancel_reason = [](const jobhost_run* run) {
                TestRun& self = of(run);
                const std::lock_guard<std::mutex> lock(self.mutex);
                return self.look();
            };
            result.wait = [](const jobhost_run* run, int64_t duration_us) {
                TestRun& self = of(run);
                const std::lock_guard<std::mutex> lock(self.mutex);
                const jobhost_cancel reason = self.look();
                if (reason == 0) self.waited += std::chrono::microseconds(duration_us);
                return reason;
            };
            result.enqueue = &enqueue;
            result.set_error = [](const jobhost_run* run, const jobhost_error* error) {
                TestRun& self = of(run);
                const std::lock_guard<std::mutex> lock(self.mutex);
                self.last_error = recorded(*error);
            };
            result.get_extension = [](const jobhost_run*, const char*) -> const void* {
                return nullptr;
            };
            return result;
        }();
        return api;
    }

    static const jobhost_run_api& job_api() {
        static const jobhost_run_api api = [] {
            jobhost_run_api result = dead_letter_api();
            result.set_snooze = [](const jobhost_run* run, int64_t delay_us) {
                of(run).snooze = std::chrono::microseconds(delay_us);
            };
            result.progress = [](const jobhost_run* run, int32_t percent, jobhost_str text) {
                TestRun& self = of(run);
                const std::lock_guard<std::mutex> lock(self.mutex);
                self.progress.push_back({percent, std::string(view(text))});
            };
            result.save_checkpoint = [](const jobhost_run* run, jobhost_str json) {
                TestRun& self = of(run);
                const std::lock_guard<std::mutex> lock(self.mutex);
                if (self.refuse_checkpoint) return *self.refuse_checkpoint;
                self.checkpoints.emplace_back(view(json));
                return jobhost_status{JOBHOST_OK};
            };
            result.complete = [](const jobhost_run* run) {
                TestRun& self = of(run);
                const std::lock_guard<std::mutex> lock(self.mutex);
                const bool too_late =
                    self.saw_cancellation && (self.cancel_with == CancelReason::kTimeout ||
                                              self.cancel_with == CancelReason::kLeaseLost);
                self.completed = self.completed || !too_late;
                return jobhost_status{too_late ? JOBHOST_ERROR : JOBHOST_OK};
            };
            return result;
        }();
        return api;
    }

    static jobhost_status enqueue(const jobhost_run* run, const jobhost_enqueue* job,
                                  jobhost_enqueue_result* result) {
        TestRun& self = of(run);
        const std::lock_guard<std::mutex> lock(self.mutex);
        if (self.refuse_enqueue) return *self.refuse_enqueue;
        if ((job->flags & JOBHOST_ENQUEUE_ON_SUCCESS) != 0) {
            self.enqueued_on_success.push_back(recorded(*job));
            return JOBHOST_OK;
        }
        self.enqueued.push_back(recorded(*job));
        if (result != nullptr) result->id = 1000 + static_cast<int64_t>(self.enqueued.size());
        return JOBHOST_OK;
    }
};

/// Behind a jobhost_host.
struct TestHost {
    jobhost_host abi{};  // first: the ABI casts between the two
    std::string settings;
    mutable std::mutex mutex;
    std::vector<testing::LogLine> log;
    std::vector<Enqueue> enqueued;
    std::optional<testing::RecordedError> last_error;

    explicit TestHost(std::string with_settings) : settings(std::move(with_settings)) {
        abi.struct_size = sizeof abi;
        abi.abi_major = JOBHOST_ABI_MAJOR;
        abi.abi_minor = JOBHOST_ABI_MINOR;
        abi.name = JOBHOST_STR_LIT("jobhost");
        abi.version = JOBHOST_STR_LIT("testing");
        abi.node = JOBHOST_STR_LIT("test-node");
        abi.settings = str(settings);
        abi.log = [](const jobhost_host* host, jobhost_level level, jobhost_str text) {
            TestHost& self = of(host);
            const std::lock_guard<std::mutex> lock(self.mutex);
            self.log.push_back({static_cast<LogLevel>(level), std::string(view(text))});
        };
        abi.log_enabled = [](const jobhost_host*, jobhost_level) { return int32_t{1}; };
        abi.enqueue = [](const jobhost_host* host, const jobhost_enqueue* job,
                         jobhost_enqueue_result* result) {
            TestHost& self = of(host);
            const std::lock_guard<std::mutex> lock(self.mutex);
            self.enqueued.push_back(recorded(*job));
            if (result != nullptr) result->id = static_cast<int64_t>(self.enqueued.size());
            return jobhost_status{JOBHOST_OK};
        };
        abi.report_error = [](const jobhost_host* host, const jobhost_error* error) {
            TestHost& self = of(host);
            const std::lock_guard<std::mutex> lock(self.mutex);
            self.last_error = recorded(*error);
        };
        abi.get_extension = [](const jobhost_host*, const char*) -> const void* { return nullptr; };
    }
    TestHost(const TestHost&) = delete;
    TestHost& operator=(const TestHost&) = delete;

    /// Other settings for as long as it lives.
    class SettingsScope {
    public:
        SettingsScope(TestHost& host, const std::optional<std::string>& during)
            : host_(host), before_(host.abi.settings) {
            if (during) host.abi.settings = str(*during);
        }
        ~SettingsScope() { host_.abi.settings = before_; }
        SettingsScope(const SettingsScope&) = delete;
        SettingsScope& operator=(const SettingsScope&) = delete;

    private:
        TestHost& host_;
        jobhost_str before_;
    };

    static TestHost& of(const jobhost_host* host) {
        return *const_cast<TestHost*>(reinterpret_cast<const TestHost*>(host));
    }
};

}  // namespace detail
}  // namespace v1
}  // namespace jobhost
