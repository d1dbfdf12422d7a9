#pragma once

#include <optional>
#include <string>
#include <vector>

#include "storage/job.h"

namespace jobhost {

/// What left a plugin's function, described: the error, and what its rules need to know.
struct ThrownError {
    JobError error = {};  // attempt, fence and time are filled in by the engine

    /// Type and base names of each nested cause, outermost first, at most 8: of the
    /// `std::nested_exception` chain and of the only element of a `jobhost::AggregateError`.
    std::vector<std::vector<std::string>> causes = {};

    /// The error names its own delay (`jobhost::RetryAfter`).
    std::optional<Duration> retry_after = {};
};

/// The host's own error types. All have the base `std::exception` only.
inline constexpr const char* kTimeoutError = "jobhost::TimeoutError";
inline constexpr const char* kOrphanedJobError = "jobhost::OrphanedJobError";
inline constexpr const char* kPayloadError = "jobhost::PayloadError";
inline constexpr const char* kCrashedError = "jobhost::CrashedError";
inline constexpr const char* kPluginContractError = "jobhost::PluginContractError";

/// An error that the host itself made.
ThrownError host_error(const char* type, std::string message);

}  // namespace jobhost
