#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/job_queries.h"

namespace jobhost::api {

/// Which jobs, as typed; empty ones do not restrict.
struct FilterWords {
    std::vector<std::string> states = {};
    std::string queue = {};
    std::string type = {};
    std::string tag = {};
    std::string error = {};
    std::string group = {};  // of failures
    std::string since = {};
};

/// Throws RequestError (bad) when a word makes no sense. `now` is what a duration in `since` counts
/// back from.
JobFilter job_filter(const FilterWords& words, TimePoint now);

/// The id of a job, node or run as decimal text. Throws RequestError (bad).
JobId parse_id(std::string_view text);

/// Where a list of dead-letter runs goes on: what its `next` said, or empty for its begin. Throws
/// RequestError (bad).
std::int64_t parse_run_place(const std::string& words);

/// Throws RequestError (bad) for a word that is no state of a dead-letter run; nullopt for an empty
/// one.
std::optional<DeadLetterState> parse_dead_letter_state(const std::string& word);

}  // namespace jobhost::api
