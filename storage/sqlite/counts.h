#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "storage/job.h"
#include "storage/sqlite/lane.h"

namespace jobhost::sqlite {

class Session;

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

    /// Writes and forgets. Inside the transaction, just before COMMIT.
    void flush(Session& session, TimePoint now);

    void clear();

private:
    static constexpr int kColumns = 6;
    struct TallyRow {
        std::int64_t type_lane = 0;
        std::int64_t change[kColumns] = {};
    };
    struct StatRow {
        std::int64_t queue = 0;
        std::int64_t enqueued = 0;
        std::int64_t succeeded = 0;
        std::int64_t failed = 0;
        std::int64_t retried = 0;
    };
    StatRow& stat(std::int64_t queue);
    TallyRow& tally(std::int64_t type_lane);

    std::vector<TallyRow> tallies_;
    std::vector<StatRow> stats_;
};

}  // namespace jobhost::sqlite
