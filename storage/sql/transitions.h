#pragma once

#include <optional>
#include <string>
#include <vector>

#include "storage/sql/enqueue_batch.h"
#include "storage/sql/session.h"
#include "storage/storage.h"

namespace jobhost::sql {

/// Applies what runs produced, inside one write transaction. Everything hangs on the guard: the row
/// of `running` with the lease's node and fence. When it is gone, nothing is done.
class Transitions {
public:
    /// `acting`: the node that the dead-letter runs of a Fail belong to. `make_batch`: for the new
    /// jobs of a Succeed; outlives this.
    Transitions(Session& session, NodeId acting, TimePoint now,
                const MakeBatch* make_batch = nullptr);

    /// Checks nothing but the guard: new jobs of a Succeed must obey check_new_job.
    WriteAnswer apply(const RunReport& report);

    /// As apply(), for a run whose node is dead: one that an operator asked to cancel is cancelled,
    /// whatever the transition says.
    WriteAnswer apply_to_orphan(const RunReport& report);

    WriteAnswer apply(const RunNote& note);
    WriteAnswer apply(const SaveCheckpoint& save);

private:
    /// A row of `running`, taken out.
    struct Run {
        Lane lane = 0;
        std::int64_t run_at = 0;
        int attempts = 0;
        int max_attempts = 0;
        TimePoint claimed_at = {};
        std::optional<TimePoint> started_at = {};
        std::optional<std::string> cancel_by = {};
    };
    enum class Orphanings { kKept, kCleared, kOneMore };
    struct Return {
        TimePoint run_at = {};
        int attempts = 0;
        bool has_run = false;
        int snoozes = 0;  // to add
        Orphanings orphanings = Orphanings::kKept;
    };

    WriteAnswer apply_guarded(const RunReport& report, bool is_orphan);
    WriteAnswer succeed(const RunReport& report, const Succeed& succeed);
    WriteAnswer end(const RunReport& report, const Run& run, bool is_orphan);
    WriteAnswer repeat(const RunReport& report);
    WriteAnswer repeat_of_orphan(const RunReport& report);
    std::vector<OwedRun> owed_of(const Lease& lease);

    std::optional<Run> take_out(const RunReport& report);
    void give_back(const Lease& lease, const Run& run, const Return& back);
    void end_as_done(const Lease& lease, const Run& run, JobState state, std::string_view reason);
    void end_as_cancelled(const Lease& lease, const Run& run);
    std::vector<OwedRun> end_as_dead(const Lease& lease, const Run& run, const Fail& fail);
    OwedRun insert_owed(const Lease& lease, const Run& run, const OwedDeadLetter& owed);

    Session& session_;
    const NodeId acting_;
    const TimePoint now_;
    const MakeBatch* const make_batch_;
    std::optional<Query> succeed_insert_;  // looked up once for a whole batch
    std::optional<Query> succeed_delete_;
};

/// The longest time that a retry or a snooze waits.
inline constexpr Duration kLongestDelay = std::chrono::hours(24) * 365;

}  // namespace jobhost::sql
