#include "storage/sql/counts.h"

#include <algorithm>

namespace jobhost::sql {
namespace {

/// The column of `tally` that counts the state.
std::size_t column_of(JobState state) {
    switch (state) {
        case JobState::kScheduled:
        case JobState::kEnqueued:
        case JobState::kAwaiting: return 0;
        case JobState::kProcessing: return 1;
        case JobState::kSucceeded: return 2;
        case JobState::kFailed: return 3;
        case JobState::kExpired: return 4;
        case JobState::kCancelled: return 5;
    }
    return 0;
}

}  // namespace

Counts::TallyRow& Counts::tally(std::int64_t type_lane) {
    // Few rows, and mostly the same one again.
    const auto found = std::find_if(tallies_.rbegin(), tallies_.rend(), [&](const TallyRow& row) {
        return row.type_lane == type_lane;
    });
    if (found != tallies_.rend()) return *found;
    tallies_.push_back({.type_lane = type_lane});
    return tallies_.back();
}

Counts::StatRow& Counts::stat(std::int64_t queue) {
    const auto found = std::find_if(stats_.rbegin(), stats_.rend(),
                                    [&](const StatRow& row) { return row.queue == queue; });
    if (found != stats_.rend()) return *found;
    stats_.push_back({.queue = queue});
    return stats_.back();
}

void Counts::move(Lane lane, std::optional<JobState> from, std::optional<JobState> to) {
    TallyRow& row = tally(type_lane_of(lane));
    if (from) --row.change[column_of(*from)];
    if (to) ++row.change[column_of(*to)];
}

void Counts::clear() {
    tallies_.clear();
    stats_.clear();
}

}  // namespace jobhost::sql
