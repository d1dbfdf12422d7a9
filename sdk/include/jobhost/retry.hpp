#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <jobhost/error.hpp>
#include <jobhost/job_view.hpp>

namespace jobhost {
inline namespace v1 {

/// A type's retry policy. What is not set comes from the queue, the global block of the YAML file
/// or the built-in policy; YAML for the type wins over all of it.
struct RetryOptions {
    std::optional<int> max_attempts = {};  ///< 0 and 1 both mean one run
    std::optional<std::chrono::microseconds> initial_delay = {};
    std::optional<double> multiplier = {};                    ///< > 0; only with an initial delay
    std::optional<std::chrono::microseconds> max_delay = {};  ///< only with an initial delay
    /// Name of a delay function (Plugin::retry_delay), or "default" for the built-in curve.
    std::optional<std::string> delay = {};
    std::optional<std::chrono::microseconds> retry_for = {};  ///< counted from the first start
};

/// What a delay function decides on. Borrowed: valid during the call.
class RetryInfo {
public:
    explicit RetryInfo(const jobhost_retry_info& info) : info_(&info) {}

    /// 1 after the first failure.
    int attempts_made() const { return info_->attempts_made; }
    int max_attempts() const { return info_->max_attempts; }
    JobView job() const { return JobView(*info_->job); }
    Error error() const { return Error(*info_->error); }
    /// What the built-in curve says now.
    std::chrono::microseconds policy_delay() const {
        return std::chrono::microseconds(info_->policy_delay_us);
    }
    /// 64 random bits; use these, so that tests can fix them.
    std::uint64_t random() const { return info_->random; }

private:
    const jobhost_retry_info* info_;
};

/// Answers the delay, or nothing for "as the policy would". Runs on a worker: must be quick.
using RetryDelay = std::function<std::optional<std::chrono::microseconds>(const RetryInfo&)>;

}  // namespace v1
}  // namespace jobhost
