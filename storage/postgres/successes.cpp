#include "storage/postgres/successes.h"

#include <unordered_set>

namespace jobhost::postgres {
namespace {

constexpr std::string_view kSucceed =
    "WITH own AS (DELETE FROM running r USING unnest(?1::bigint[], ?2::bigint[], ?3::bigint[]) "
    "AS u(id, fence, started_at) WHERE r.id = u.id AND r.fence = u.fence AND r.node = ?4 "
    "RETURNING r.id, r.attempts, r.max_attempts, r.fence, "
    "coalesce(u.started_at, r.started_at) AS started_at) "
    "INSERT INTO done (id, state, attempts, max_attempts, fence, node, started_at, finished_at) "
    "SELECT id, 4, attempts, max_attempts, fence, ?4, started_at, ?5 FROM own RETURNING id";

}  // namespace

bool is_plain_success(const Write& write, NodeId node) {
    const auto* report = std::get_if<RunReport>(&write);
    if (report == nullptr || report->lease.node != node) return false;
    const auto* success = std::get_if<Succeed>(&report->next);
    return success != nullptr && success->jobs.empty() && report->log.empty() &&
           !report->progress_percent && !report->progress_text;
}

std::vector<bool> store_successes(Session& session, NodeId node, std::span<const Write> writes,
                                  std::span<const std::size_t> indexes, TimePoint now) {
    std::vector<bool> answers(indexes.size());
    if (indexes.empty()) return answers;
    Array ids = Array::of_integers();
    Array fences = Array::of_integers();
    Array starts = Array::of_integers();
    for (const std::size_t index : indexes) {
        const auto& report = std::get<RunReport>(writes[index]);
        ids.add(report.lease.job);
        fences.add(report.lease.fence);
        starts.add(report.started_at);
    }
    std::unordered_set<JobId> stored;
    stored.reserve(indexes.size());
    {
        BulkQuery succeed = session.bulk(kSucceed);
        succeed.bind_all(ids, fences, starts, node, now);
        while (succeed.step()) stored.insert(succeed.integer(0));
    }
    for (std::size_t i = 0; i < indexes.size(); ++i) {
        const Lease& lease = std::get<RunReport>(writes[indexes[i]]).lease;
        if (stored.erase(lease.job) == 0) continue;  // not, or by an earlier one of these
        answers[i] = true;
        session.counts().move(lease.token, JobState::kProcessing, JobState::kSucceeded);
        session.counts().succeeded(lease.token);
    }
    return answers;
}

}  // namespace jobhost::postgres
