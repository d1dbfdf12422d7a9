#include "storage/sqlite/counts.h"

#include <algorithm>

#include "storage/sqlite/session.h"

namespace jobhost::sqlite {
namespace {

/// The column of `tally` that counts the state.
int column_of(JobState state) {
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

void Counts::flush(Session& session, TimePoint now) {
    for (const TallyRow& row : tallies_) {
        const auto& change = row.change;
        if (std::ranges::all_of(change, [](std::int64_t by) { return by == 0; })) continue;
        session
            .query(
                "INSERT INTO tally (type_lane, waiting, processing, succeeded, failed, expired, "
                "cancelled) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (type_lane) DO UPDATE SET "
                "waiting = waiting + excluded.waiting, "
                "processing = processing + excluded.processing, "
                "succeeded = succeeded + excluded.succeeded, "
                "failed = failed + excluded.failed, expired = expired + excluded.expired, "
                "cancelled = cancelled + excluded.cancelled")
            .bind_all(row.type_lane, change[0], change[1], change[2], change[3], change[4],
                      change[5])
            .run();
    }
    const std::int64_t minute = now.time_since_epoch().count() / 60'000'000;
    for (const StatRow& row : stats_) {
        session
            .query(
                "INSERT INTO stat (minute, queue, enqueued, succeeded, failed, retried) "
                "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (minute, queue) DO UPDATE SET "
                "enqueued = enqueued + excluded.enqueued, "
                "succeeded = succeeded + excluded.succeeded, "
                "failed = failed + excluded.failed, retried = retried + excluded.retried")
            .bind_all(minute, row.queue, row.enqueued, row.succeeded, row.failed, row.retried)
            .run();
    }
    clear();
}

void Counts::clear() {
    tallies_.clear();
    stats_.clear();
}

}  // namespace jobhost::sqlite
