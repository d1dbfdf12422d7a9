#include "storage/sql/enqueue_batch.h"

#include <algorithm>

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

Reach Reaches::of(Session& session, const NewJob& job) {
    const std::int64_t type = session.names().id_of(NameKind::kType, job.type);
    // A queue without a number: only of a job that was already there, in whichever queue.
    const std::int64_t queue = session.names().find(NameKind::kQueue, job.queue).value_or(0);
    const auto [known, is_new] = known_.try_emplace(queue << 32 | type);
    Reach& reach = known->second;
    if (!is_new) return reach;
    Query row = session.query(
        "SELECT n.queues FROM node_type t JOIN node n ON n.id = t.node "
        "WHERE t.type = ? AND n.state = 0");
    row.bind_all(type);
    while (!reach.queue && row.step()) {
        reach.type = true;
        const std::vector<std::string> queues = split_lines(row.view(0));
        reach.queue = std::ranges::find(queues, job.queue) != queues.end();
    }
    return reach;
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
