#include "storage/sql/placed.h"

#include <algorithm>

#include "storage/sql/claim_rule.h"
#include "storage/sql/session.h"

namespace jobhost::sql {
namespace {

/// One statement, so that all tables are seen at one moment: a job that moves meanwhile would
/// otherwise be looked for where it is not yet, and then where it is not any more. A job that came
/// back waits where its trail says, another where it was enqueued.
constexpr std::string_view kFind =
    "SELECT 1, 2, lane, run_at, attempts, fence, node, max_attempts, started_at, "
    "CAST(NULL AS bigint), cancel_by, stopping, CAST(NULL AS text) FROM running WHERE id = ?1 "
    "UNION ALL SELECT 2, d.state, j.lane, j.run_at, d.attempts, d.fence, d.node, d.max_attempts, "
    "d.started_at, d.finished_at, NULL, NULL, d.reason FROM done d JOIN job j ON j.id = d.id "
    "WHERE d.id = ?1 "
    "UNION ALL SELECT 3, 5, lane, 0, attempts, fence, node, max_attempts, started_at, failed_at, "
    "NULL, NULL, reason FROM dead WHERE id = ?1 "
    "UNION ALL SELECT 0, 1, p.lane, p.run_at, p.attempts, p.fence, coalesce(t.node, 0), "
    "t.max_attempts, t.started_at, NULL, NULL, NULL, NULL FROM job j LEFT JOIN trail t "
    "ON t.id = j.id JOIN pending p ON p.lane = j.lane AND p.run_at = coalesce(t.run_at, j.run_at) "
    "AND p.id = j.id WHERE j.id = ?1";

JobState state_of(Session& session, Placed::Table table, std::int64_t stored, TimePoint run_at) {
    switch (table) {
        case Placed::Table::kRunning: return JobState::kProcessing;
        case Placed::Table::kDead: return JobState::kFailed;
        case Placed::Table::kPending:
            return run_at <= session.now() ? JobState::kEnqueued : JobState::kScheduled;
        case Placed::Table::kDone: break;
    }
    const bool known = stored == static_cast<int>(JobState::kSucceeded) ||
                       stored == static_cast<int>(JobState::kExpired);
    return known ? static_cast<JobState>(stored) : JobState::kCancelled;
}

}  // namespace

std::optional<Placed> find_placed(Session& session, JobId id) {
    Query row = session.query(kFind);
    if (!row.bind_all(id).step()) return std::nullopt;
    Placed placed{.table = static_cast<Placed::Table>(row.integer(0)),
                  .lane = row.integer(2),
                  .run_at = row.integer(3),
                  .attempts = bounded(row.integer(4)),
                  .fence = row.integer(5),
                  .node = row.integer(6),
                  .max_attempts = bounded(row.optional_integer(7)),
                  .started_at = row.optional_time(8),
                  .finished_at = row.optional_time(9),
                  .cancel_by = row.optional_text(10),
                  .stopping = row.text(11),
                  .reason = row.text(12)};
    placed.state = state_of(session, placed.table, row.integer(1), row.time(3));
    return placed;
}

void remove_placed(Session& session, JobId id, const Placed& placed) {
    switch (placed.table) {
        case Placed::Table::kPending:
            session.query("DELETE FROM pending WHERE lane = ? AND run_at = ? AND id = ?")
                .bind_all(placed.lane, placed.run_at, id)
                .run();
            break;
        case Placed::Table::kRunning:
            session.query("DELETE FROM running WHERE id = ?").bind_all(id).run();
            break;
        case Placed::Table::kDone:
            session.query("DELETE FROM done WHERE id = ?").bind_all(id).run();
            break;
        case Placed::Table::kDead:
            session.query("DELETE FROM dead WHERE id = ?").bind_all(id).run();
            break;
    }
    session.counts().move(placed.lane, placed.state, std::nullopt);
}

void move_to_done(Session& session, JobId id, const Placed& placed, JobState state,
                  std::string_view reason, TimePoint now) {
    remove_placed(session, id, placed);
    session
        .query(
            "INSERT INTO done (id, state, attempts, max_attempts, fence, node, started_at, "
            "finished_at, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind_all(id, static_cast<int>(state), placed.attempts, placed.max_attempts, placed.fence,
                  placed.node, placed.started_at, now, reason)
        .run();
    session.counts().move(placed.lane, std::nullopt, state);
}

void end_expired(Session& session, std::span<const JobId> jobs, TimePoint now) {
    for (const JobId id : jobs) {
        const std::optional<Placed> placed = find_placed(session, id);
        if (!placed || placed->table != Placed::Table::kPending) continue;
        move_to_done(session, id, *placed, JobState::kExpired, "expired", now);
    }
}

std::string join_lines(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
        if (!text.empty()) text += '\n';
        const std::size_t start = text.size();
        text += line;
        std::replace(text.begin() + static_cast<std::ptrdiff_t>(start), text.end(), '\n', ' ');
    }
    return text;
}

std::vector<std::string> split_lines(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (end > 0) lines.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

TimePoint later(TimePoint time, Duration by) {
    constexpr TimePoint kLatest{std::chrono::seconds(253'402'300'799)};  // the end of the year 9999
    if (time >= kLatest || by >= kLatest - time) return kLatest;
    return time + by;
}

}  // namespace jobhost::sql
