#pragma once

#include <cstdint>

#include "storage/job.h"

namespace jobhost::sql {

/// Where a job waits: queue << 40 | priority << 32 | type, so that one range of the claim's index
/// holds what one queue, one priority and one type have.
using Lane = std::int64_t;

inline constexpr std::int64_t kMaxQueueId = (std::int64_t{1} << 23) - 1;
inline constexpr std::int64_t kMaxTypeId = (std::int64_t{1} << 32) - 1;

constexpr Lane lane_of(std::int64_t queue, Priority priority, std::int64_t type) {
    return queue << 40 | static_cast<std::int64_t>(priority) << 32 | type;
}
constexpr std::int64_t queue_of(Lane lane) {
    return lane >> 40;
}
constexpr std::int64_t type_of(Lane lane) {
    return lane & kMaxTypeId;
}
/// A number of a broken row becomes the lowest priority.
constexpr Priority priority_of(Lane lane) {
    const std::int64_t number = (lane >> 32) & 0xff;
    return number > 3 ? Priority::kLow : static_cast<Priority>(number);
}
/// Key of `tally`: the lane without its priority.
constexpr std::int64_t type_lane_of(Lane lane) {
    return queue_of(lane) << 32 | type_of(lane);
}

}  // namespace jobhost::sql
