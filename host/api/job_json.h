#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/text/json_writer.h"
#include "storage/job_queries.h"

namespace jobhost::api {

// What all interfaces call the fields of a job. Lists have no input, errors, checkpoint and log.
// The input goes in as its exact bytes.

/// The latest dead-letter runs of a job that interfaces show with it.
inline constexpr int kMostRunsShown = 100;

/// Everything about one job as one document, `runs` included.
std::string job_json(const Job& job, const std::vector<DeadLetter>& runs, bool with_input);

/// Lists, as one document. `next`: empty at the end.
std::string jobs_json(const JobPage& page, const std::vector<std::string>& warnings);
std::string dead_letters_json(const std::vector<DeadLetter>& runs, const std::string& next);

/// `handler` or `forwarder`.
std::string_view to_string(DeadLetterKind kind);

/// What interfaces show as max_attempts: the limit in force, before the first claim what was
/// requested.
std::optional<int> shown_max_attempts(const Job& job);

}  // namespace jobhost::api
