#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "storage/failure_group.h"
#include "storage/job.h"
#include "storage/storage.h"

namespace jobhost {

/// Which jobs; an empty field does not restrict.
struct JobFilter {
    std::vector<JobState> states = {};
    std::string queue = {};
    std::string type = {};
    std::string tag = {};
    std::string error = {};               // a type name, or a part of the last error's message
    std::string group = {};               // id of a FailureGroup, of the last error
    std::optional<TimePoint> since = {};  // created at or after
    bool empty() const;
};

struct JobPage {
    std::vector<Job> jobs = {};  // newest first; waiting states alone: in the order they will run
    std::string next = {};       // opaque place to go on from; empty at the end
};

/// Jobs per state of one queue and type.
struct TypeCounts {
    std::string queue = {};
    std::string type = {};
    std::int64_t waiting = 0;  // due or not
    std::int64_t processing = 0;
    std::int64_t succeeded = 0;
    std::int64_t failed = 0;
    std::int64_t expired = 0;
    std::int64_t cancelled = 0;
};

/// What happened in one minute in one queue.
struct MinuteStat {
    TimePoint minute = {};
    std::string queue = {};
    std::int64_t enqueued = 0;
    std::int64_t succeeded = 0;
    std::int64_t failed = 0;
    std::int64_t retried = 0;
};

/// Waiting jobs of one queue and type that are due now.
struct DueCount {
    std::string queue = {};
    std::string type = {};
    std::int64_t due = 0;  // stops at the cap
    std::optional<TimePoint> oldest_run_at = {};
    std::optional<TimePoint> next_run_at = {};  // of the first one that is not due yet
};

/// A claim stop, for all nodes or those of one service.
struct Pause {
    enum class Kind { kQueue = 1, kType = 2 };
    Kind kind = Kind::kQueue;
    std::string name = {};
    std::string service = {};  // empty: every service
    TimePoint at = {};
    std::string by = {};
};

/// One dead-letter run, as recorded with the move to failed.
struct DeadLetter {
    std::int64_t run = 0;
    JobId job = 0;
    std::string type = {};
    DeadLetterKind kind = DeadLetterKind::kHandler;
    std::string name = {};
    DeadLetterState state = DeadLetterState::kOwed;
    NodeId node = 0;
    int tries = 0;
    TimePoint created_at = {};
    std::optional<TimePoint> started_at = {};
    std::optional<TimePoint> finished_at = {};
    std::string error = {};
};

/// The read side, for people: kept apart from the hot path, on sessions of its own. Reads never
/// select the input of jobs that they only list, and never hold a snapshot between calls.
class JobQueries {
public:
    virtual ~JobQueries() = default;

    /// The whole job, input, errors and log included.
    virtual std::optional<Job> find_job(JobId id) = 0;

    virtual JobPage list_jobs(const JobFilter& filter, int limit, const std::string& after) = 0;

    /// Stops counting at `cap`.
    virtual std::int64_t count_jobs(const JobFilter& filter, std::int64_t cap) = 0;

    /// Kept counts, not counted now: O(queues x types).
    virtual std::vector<TypeCounts> type_counts() = 0;

    /// Due jobs per queue and type, each counted up to `cap`.
    virtual std::vector<DueCount> due_counts(std::int64_t cap) = 0;

    /// The failed jobs that failed last, at most so many (and never more than 10,000), in groups.
    virtual FailureGroups failure_groups(int look_at_most) = 0;

    virtual std::vector<MinuteStat> minute_stats(TimePoint since) = 0;
    virtual std::vector<Pause> pauses() = 0;

    /// Newest first; `job` 0 = of all jobs. `after`: runs older than this one; 0 = from the newest.
    virtual std::vector<DeadLetter> dead_letters(JobId job, std::optional<DeadLetterState> state,
                                                 int limit, std::int64_t after) = 0;

    /// Owed or started dead-letter runs of these types.
    virtual std::int64_t open_dead_letters(const std::vector<std::string>& types) = 0;
};

}  // namespace jobhost
