#pragma once

#include <cstdint>
#include <optional>

#include "storage/storage.h"

namespace jobhost::sql {

/// A number of a row, which may be a broken one, as an int.
int bounded(std::int64_t value);
std::optional<int> bounded(const std::optional<std::int64_t>& value);

/// So many rows that may not be prefetched are looked at before the search in a queue ends.
inline constexpr int kMostLastAttempts = 64;

/// So many expired jobs are ended in one claim.
inline constexpr std::size_t kMostExpired = 500;

enum class ClaimVerdict {
    kTake,
    kExpired,      // it did not start in time
    kLastAttempt,  // may be started now, but not be prefetched
};

/// Whether a due job may be claimed. Fills in `attempt` and `max_attempts`, the limit in force, and
/// drops a deadline that no longer counts. `attempts`: made before; `type_limit`: of the plan.
ClaimVerdict judge_claim(ClaimedJob& job, std::int64_t attempts, int type_limit, bool is_prefetch,
                         TimePoint now);

}  // namespace jobhost::sql
