#include "storage/sql/claim_rule.h"

#include <algorithm>
#include <limits>

namespace jobhost::sql {

int bounded(std::int64_t value) {
    return static_cast<int>(std::clamp<std::int64_t>(value, 0, std::numeric_limits<int>::max()));
}

std::optional<int> bounded(const std::optional<std::int64_t>& value) {
    return value ? std::optional<int>(bounded(*value)) : std::nullopt;
}

ClaimVerdict judge_claim(ClaimedJob& job, std::int64_t attempts, int type_limit, bool is_prefetch,
                         TimePoint now) {
    job.attempt = bounded(attempts + 1);
    job.max_attempts = std::max(job.max_attempts_requested.value_or(type_limit), job.attempt);
    if (job.first_started_at) job.expires_at.reset();
    if (job.expires_at && *job.expires_at <= now) return ClaimVerdict::kExpired;
    if (is_prefetch && job.attempt >= job.max_attempts) return ClaimVerdict::kLastAttempt;
    return ClaimVerdict::kTake;
}

}  // namespace jobhost::sql
