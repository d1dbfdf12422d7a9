#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "storage/job.h"
#include "storage/sql/lane.h"

namespace jobhost::sql {

/// What one transaction changes in the kept counts, gathered so that each row is written once.
class Counts {
public:
    /// A job of this lane left one state and came into another; nullopt: it is new, or removed.
    /// kScheduled, kEnqueued and kAwaiting are all "waiting".
    void move(Lane lane, std::optional<JobState> from, std::optional<JobState> to);

    /// For the per-minute statistics of the lane's queue.
    void enqueued(Lane lane) { ++stat(queue_of(lane)).enqueued; }
    void succeeded(Lane lane) { ++stat(queue_of(lane)).succeeded; }
    void failed(Lane lane) { ++stat(queue_of(lane)).failed; }
    void retried(Lane lane) { ++stat(queue_of(lane)).retried; }

    static constexpr std::size_t kColumns = 6;
    /// The change of one row of `tally`; columns as in the table.
    struct TallyRow {
        std::int64_t type_lane = 0;
        std::array<std::int64_t, kColumns> change = {};
        bool is_nothing() const { return change == std::array<std::int64_t, kColumns>{}; }
    };
    /// The change of one row of `stat`.
    struct StatRow {
        std::int64_t queue = 0;
        std::int64_t enqueued = 0;
        std::int64_t succeeded = 0;
        std::int64_t failed = 0;
        std::int64_t retried = 0;
    };

    /// For the engine, which writes them just before COMMIT.
    const std::vector<TallyRow>& tallies() const { return tallies_; }
    const std::vector<StatRow>& stats() const { return stats_; }
    void clear();

private:
    StatRow& stat(std::int64_t queue);
    TallyRow& tally(std::int64_t type_lane);

    std::vector<TallyRow> tallies_;
    std::vector<StatRow> stats_;
};

}  // namespace jobhost::sql
