#include "storage/sql/enqueue_batch.h"

#include "storage/enqueue_rules.h"
#include "storage/sql/placed.h"
#include "storage/sql/session.h"

namespace jobhost::sql {

std::optional<EnqueueRefusal> check_jobs(std::span<const NewJob> jobs,
                                         std::size_t max_input_bytes) {
    for (std::size_t index = 0; index < jobs.size(); ++index) {
        if (auto reason = check_new_job(jobs[index], max_input_bytes)) {
            return EnqueueRefusal{.index = index, .reason = std::move(*reason)};
        }
    }
    return std::nullopt;
}

JobTimes times_of(const NewJob& job, TimePoint now) {
    JobTimes times{.run_at = now, .expires_at = job.deadline_at};
    if (job.run_at) times.run_at = *job.run_at;
    if (job.delay) times.run_at = later(now, *job.delay);
    if (job.deadline_after) times.expires_at = later(times.run_at, *job.deadline_after);
    return times;
}

KeyVerdict judge_key(OnDuplicate rule, JobState holder) {
    const bool same = !is_terminal(holder) ||
                      (holder == JobState::kSucceeded && rule != OnDuplicate::kRejectAlways);
    if (same) return KeyVerdict::kDuplicate;
    return rule == OnDuplicate::kAllowAfterFailed ? KeyVerdict::kFree : KeyVerdict::kRefused;
}

EnqueueRefusal refusal_by_key(std::size_t index, JobId holder, JobState state) {
    return {.index = index,
            .reason = "the idempotency key is held by job " + std::to_string(holder) +
                      ", which is " + std::string(to_string(state)),
            .existing = holder};
}

bool LiveTypes::has_node(std::int64_t type) {
    const auto [known, is_new] = known_.try_emplace(type, false);
    if (!is_new) return known->second;
    Query row = session_.query(
        "SELECT 1 FROM node_type t JOIN node n ON n.id = t.node "
        "WHERE t.type = ? AND n.state = 0 LIMIT 1");
    row.bind_all(type);
    known->second = row.step();
    return known->second;
}

std::optional<JobState> key_holder_state(Session& session, JobId id,
                                         const std::optional<std::int64_t>& kept) {
    if (kept) {
        const bool known = *kept >= 0 && *kept < kJobStates;
        return known ? static_cast<JobState>(*kept) : JobState::kSucceeded;
    }
    const std::optional<Placed> placed = find_placed(session, id);
    return placed ? std::optional<JobState>(placed->state) : std::nullopt;
}

}  // namespace jobhost::sql
