#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "storage/job_queries.h"

namespace jobhost::sql {

class Session;

struct FoundJobs {
    std::vector<JobId> ids = {};
    std::string next = {};  // place to go on from; empty at the end
};

/// The next jobs that match, at most `want`; fewer, with a place to go on from, when many rows were
/// looked at in vain. Walks over the narrowest table: the tag's jobs, the jobs with errors, the
/// tables of the wanted states, else all jobs. Newest first; waiting states alone (and no tag or
/// error): in the order in which they run. Inside one read transaction. Throws StorageError
/// kMisused for an `after` that no search gave.
FoundJobs search_jobs(Session& session, const JobFilter& filter, std::size_t want,
                      const std::string& after);

}  // namespace jobhost::sql
