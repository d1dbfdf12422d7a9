#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "storage/job.h"
#include "storage/sql/lane.h"

namespace jobhost::sql {

class Session;

/// The first lane after this one that has a waiting job.
std::optional<Lane> next_lane(Session& session, Lane after);

/// A place in the order in which waiting jobs run: queue and priority, then run_at, then id.
struct PendingPlace {
    std::int64_t group = -1;  // lane >> 32: queue and priority
    std::int64_t run_at = std::numeric_limits<std::int64_t>::max();
    JobId id = std::numeric_limits<JobId>::max();
};

/// Which waiting jobs to walk over.
struct PendingRange {
    std::optional<std::int64_t> queue = {};
    std::optional<std::int64_t> type = {};
    std::int64_t run_after = std::numeric_limits<std::int64_t>::min();
    std::int64_t run_until = std::numeric_limits<std::int64_t>::max();
};

/// Walks over waiting jobs in the order in which they run, types of one queue and priority merged.
/// Inside one read transaction.
class PendingWalk {
public:
    PendingWalk(Session& session, const PendingRange& range, const PendingPlace& after)
        : session_(session), range_(range), place_(after) {}

    /// The next job; nullopt at the end. Adds what it looked at to `looked_at`.
    std::optional<JobId> next(std::size_t& looked_at);

    /// Where the last job was.
    const PendingPlace& place() const { return place_; }

private:
    struct Waiting {
        std::int64_t run_at = 0;
        JobId id = 0;
    };
    /// What is read ahead of one lane.
    struct LaneReader {
        Lane lane = 0;
        std::vector<Waiting> ahead = {};
        std::size_t used = 0;
        bool ended = false;
    };

    bool open_next_group(std::size_t& looked_at);
    void open_lane(Lane lane);
    bool fill(LaneReader& reader, const Waiting& after, std::size_t& looked_at);

    Session& session_;
    const PendingRange range_;
    PendingPlace place_;
    bool started_ = false;
    std::vector<LaneReader> readers_;
};

}  // namespace jobhost::sql
