#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/job.h"
#include "storage/sql/lane.h"

namespace jobhost::sql {

class Session;

/// Where a job is, and its row there: in exactly one of pending, running, done and dead.
struct Placed {
    enum class Table { kPending, kRunning, kDone, kDead };
    Table table = Table::kPending;
    JobState state = JobState::kEnqueued;  // pending: kScheduled or kEnqueued, by its run_at
    Lane lane = 0;
    std::int64_t run_at = 0;  // pending, running: its place in the lane
    int attempts = 0;
    std::int64_t fence = 0;
    NodeId node = 0;                            // running, done, dead
    std::optional<int> max_attempts = {};       // running, done, dead; pending: of the last claim
    std::optional<TimePoint> started_at = {};   // the same
    std::optional<TimePoint> finished_at = {};  // done, dead
    std::optional<std::string> cancel_by = {};  // running
    std::string stopping = {};                  // running
    std::string reason = {};                    // done, dead
};

/// nullopt when there is no such job, or (a broken row) no table holds it. One statement: right
/// also where others commit between two of them.
std::optional<Placed> find_placed(Session& session, JobId id);

/// Removes its row there (only that row), and keeps the counts.
void remove_placed(Session& session, JobId id, const Placed& placed);

/// Ends a job that waits or runs as expired or cancelled: moves its row to `done`, keeps the
/// counts. The caller has checked the guard in the same transaction; `placed` is from there.
void move_to_done(Session& session, JobId id, const Placed& placed, JobState state,
                  std::string_view reason, TimePoint now);

/// Ends those of these jobs that wait as expired.
void end_expired(Session& session, std::span<const JobId> jobs, TimePoint now);

/// What happens to the idempotency key of a job that is removed.
enum class KeyFate { kRemoved, kKeptWithState };

/// Removes a job and everything that hangs on it, and keeps the counts. Inside a write transaction.
/// False when there was nothing.
bool erase_job(Session& session, JobId id, KeyFate key);

/// The two steps of it, for many jobs: each leaves its table, the counts and the indexes by which
/// it is found; then all that carries their ids goes at once.
bool detach_job(Session& session, JobId id, KeyFate key);
void erase_rows(Session& session, std::span<const JobId> jobs);

/// Lists of texts in one column.
std::string join_lines(const std::vector<std::string>& lines);
std::vector<std::string> split_lines(std::string_view text);

/// `time + by`, not past the year 9999.
TimePoint later(TimePoint time, Duration by);

}  // namespace jobhost::sql
