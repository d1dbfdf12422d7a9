#include "storage/overloaded.h"
#include "storage/sql/placed.h"
#include "storage/sql/transitions.h"

namespace jobhost::sql {
namespace {

/// Whether the transition can have left a job in this state. One that came back may have been
/// cancelled instead.
bool leads_to(const Transition& next, JobState state) {
    const bool waits = state == JobState::kEnqueued || state == JobState::kScheduled;
    const bool is_cancelled = state == JobState::kCancelled;
    return std::visit(Overloaded{
                          [&](const Succeed&) { return state == JobState::kSucceeded; },
                          [&](const Retry&) { return waits || is_cancelled; },
                          [&](const Snooze&) { return waits || is_cancelled; },
                          [&](const Release&) { return waits || is_cancelled; },
                          [&](const Fail&) { return state == JobState::kFailed; },
                          [&](const Cancel&) { return is_cancelled; },
                          [&](const Expire&) { return state == JobState::kExpired; },
                      },
                      next);
}

}  // namespace

/// The guard found nothing. Either the lease is lost, or this is the repeat of a commit whose
/// answer was lost: then the same fence is where the transition wanted it.
WriteAnswer Transitions::repeat(const RunReport& report) {
    WriteAnswer answer{.outcome = WriteAnswer::Outcome::kLeaseLost};
    const std::optional<Placed> placed = find_placed(session_, report.lease.job);
    if (!placed || placed->table == Placed::Table::kRunning ||
        placed->fence != report.lease.fence || placed->node != report.lease.node) {
        return answer;
    }
    answer.state = placed->state;
    if (!leads_to(report.next, placed->state)) return answer;
    answer.outcome = WriteAnswer::Outcome::kStored;
    if (placed->table == Placed::Table::kDead) answer.owed = owed_of(report.lease);
    return answer;
}

/// Several watchers try the same, and only one may be told that it did it. What proves that it was
/// this one is a dead-letter run that it owns.
WriteAnswer Transitions::repeat_of_orphan(const RunReport& report) {
    WriteAnswer answer{.outcome = WriteAnswer::Outcome::kLeaseLost};
    if (!std::holds_alternative<Fail>(report.next)) return answer;
    answer.owed = owed_of(report.lease);
    if (answer.owed.empty()) return answer;
    answer.outcome = WriteAnswer::Outcome::kStored;
    answer.state = JobState::kFailed;
    return answer;
}

std::vector<OwedRun> Transitions::owed_of(const Lease& lease) {
    std::vector<OwedRun> owed;
    Query row = session_.query(
        "SELECT run, type, kind, name FROM dead_letter "
        "WHERE id = ? AND fence = ? AND node = ? AND state = 0 ORDER BY run");
    row.bind_all(lease.job, lease.fence, acting_);
    while (row.step()) {
        const std::string* type = session_.names().text_of(row.integer(1));
        owed.push_back({.run = row.integer(0),
                        .job = lease.job,
                        .type = type != nullptr ? *type : std::string(),
                        .kind = static_cast<DeadLetterKind>(row.integer(2)),
                        .name = row.text(3)});
    }
    return owed;
}

}  // namespace jobhost::sql
