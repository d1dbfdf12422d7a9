#include "storage/sql/pending_walk.h"

#include <algorithm>
#include <tuple>

#include "storage/sql/session.h"
#include "storage/sql/walk_sql.h"

namespace jobhost::sql {
namespace {

constexpr std::int64_t kReadAheadAlone = 256;
constexpr std::int64_t kReadAheadMerged = 16;

constexpr std::int64_t group_of(Lane lane) {
    return lane >> 32;
}
constexpr Lane first_lane_of(std::int64_t group) {
    return group << 32;
}

}  // namespace

std::optional<Lane> next_lane(Session& session, Lane after) {
    Query row = session.query(kNextLane);
    if (!row.bind(1, after).step()) return std::nullopt;
    return row.integer(0);
}

void PendingWalk::open_lane(Lane lane) {
    if (range_.type && type_of(lane) != *range_.type) return;
    readers_.push_back({.lane = lane});
}

/// Opens the lanes of the group that the place is in (the first time) or of the next one.
bool PendingWalk::open_next_group(std::size_t& looked_at) {
    readers_.clear();
    Lane before = place_.group < 0 ? -1 : first_lane_of(place_.group + (started_ ? 1 : 0)) - 1;
    if (range_.queue) before = std::max(before, (*range_.queue << 40) - 1);
    const bool go_on = !started_ && place_.group >= 0;
    started_ = true;
    std::optional<Lane> lane = next_lane(session_, before);
    ++looked_at;
    if (!lane || (range_.queue && queue_of(*lane) != *range_.queue)) return false;
    const std::int64_t group = group_of(*lane);
    if (!go_on || group != place_.group) {
        place_ = {.group = group, .run_at = range_.run_after, .id = 0};
        if (range_.run_after != std::numeric_limits<std::int64_t>::min()) {
            place_.id = std::numeric_limits<JobId>::max();
        }
    }
    if (range_.type) {
        open_lane(first_lane_of(group) | *range_.type);
        return true;
    }
    for (; lane && group_of(*lane) == group; lane = next_lane(session_, *lane)) {
        open_lane(*lane);
        ++looked_at;
    }
    return true;
}

bool PendingWalk::fill(LaneReader& reader, const Waiting& after, std::size_t& looked_at) {
    const std::int64_t count = readers_.size() == 1 ? kReadAheadAlone : kReadAheadMerged;
    reader.ahead.clear();
    reader.used = 0;
    Query row = session_.query(kLaneFrom);
    row.bind_all(reader.lane, after.run_at, after.id, range_.run_until, count);
    while (row.step()) reader.ahead.push_back({row.integer(0), row.integer(1)});
    looked_at += reader.ahead.size() + 1;
    reader.ended = static_cast<std::int64_t>(reader.ahead.size()) < count;
    return !reader.ahead.empty();
}

std::optional<JobId> PendingWalk::next(std::size_t& looked_at) {
    for (;;) {
        LaneReader* best = nullptr;
        for (LaneReader& reader : readers_) {
            if (reader.used == reader.ahead.size()) {
                if (reader.ended) continue;
                // What was read last; at first, the place of the whole walk.
                const Waiting after =
                    reader.ahead.empty() ? Waiting{place_.run_at, place_.id} : reader.ahead.back();
                if (!fill(reader, after, looked_at)) continue;
            }
            const Waiting& head = reader.ahead[reader.used];
            if (best == nullptr) {
                best = &reader;
                continue;
            }
            const Waiting& other = best->ahead[best->used];
            if (std::tie(head.run_at, head.id) < std::tie(other.run_at, other.id)) best = &reader;
        }
        if (best != nullptr) {
            const Waiting& head = best->ahead[best->used++];
            place_.run_at = head.run_at;
            place_.id = head.id;
            return head.id;
        }
        if (!open_next_group(looked_at)) return std::nullopt;
    }
}

}  // namespace jobhost::sql
