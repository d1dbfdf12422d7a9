#include "storage/sql/placed.h"

#include <algorithm>

#include "storage/sql/claim_rule.h"
#include "storage/sql/session.h"

namespace jobhost::sql {
namespace {

std::optional<Placed> find_running(Session& session, JobId id) {
    Query row = session.query(
        "SELECT lane, run_at, attempts, fence, node, max_attempts, started_at, cancel_by, "
        "stopping FROM running WHERE id = ?");
    row.bind_all(id);
    if (!row.step()) return std::nullopt;
    return Placed{.table = Placed::Table::kRunning,
                  .state = JobState::kProcessing,
                  .lane = row.integer(0),
                  .run_at = row.integer(1),
                  .attempts = bounded(row.integer(2)),
                  .fence = row.integer(3),
                  .node = row.integer(4),
                  .max_attempts = bounded(row.optional_integer(5)),
                  .started_at = row.optional_time(6),
                  .cancel_by = row.optional_text(7),
                  .stopping = row.text(8)};
}

std::optional<Placed> find_done(Session& session, JobId id) {
    Query row = session.query(
        "SELECT d.state, j.lane, j.run_at, d.attempts, d.fence, d.node, d.max_attempts, "
        "d.started_at, d.finished_at, d.reason FROM done d JOIN job j ON j.id = d.id "
        "WHERE d.id = ?");
    row.bind_all(id);
    if (!row.step()) return std::nullopt;
    const std::int64_t state = row.integer(0);
    const bool known = state == static_cast<int>(JobState::kSucceeded) ||
                       state == static_cast<int>(JobState::kExpired);
    return Placed{.table = Placed::Table::kDone,
                  .state = known ? static_cast<JobState>(state) : JobState::kCancelled,
                  .lane = row.integer(1),
                  .run_at = row.integer(2),
                  .attempts = bounded(row.integer(3)),
                  .fence = row.integer(4),
                  .node = row.integer(5),
                  .max_attempts = bounded(row.optional_integer(6)),
                  .started_at = row.optional_time(7),
                  .finished_at = row.optional_time(8),
                  .reason = row.text(9)};
}

std::optional<Placed> find_dead(Session& session, JobId id) {
    Query row = session.query(
        "SELECT lane, attempts, fence, node, max_attempts, started_at, failed_at, reason "
        "FROM dead WHERE id = ?");
    row.bind_all(id);
    if (!row.step()) return std::nullopt;
    return Placed{.table = Placed::Table::kDead,
                  .state = JobState::kFailed,
                  .lane = row.integer(0),
                  .attempts = bounded(row.integer(1)),
                  .fence = row.integer(2),
                  .node = row.integer(3),
                  .max_attempts = bounded(row.optional_integer(4)),
                  .started_at = row.optional_time(5),
                  .finished_at = row.optional_time(6),
                  .reason = row.text(7)};
}

std::optional<Placed> find_pending(Session& session, JobId id) {
    // A job that came back waits where its trail says, another where it was enqueued.
    Query row = session.query(
        "SELECT p.lane, p.run_at, p.attempts, p.fence, coalesce(t.node, 0), t.max_attempts, "
        "t.started_at FROM job j LEFT JOIN trail t ON t.id = j.id JOIN pending p ON "
        "p.lane = j.lane AND p.run_at = coalesce(t.run_at, j.run_at) AND p.id = j.id "
        "WHERE j.id = ?");
    row.bind_all(id);
    if (!row.step()) return std::nullopt;
    const bool due = row.time(1) <= session.now();
    return Placed{.table = Placed::Table::kPending,
                  .state = due ? JobState::kEnqueued : JobState::kScheduled,
                  .lane = row.integer(0),
                  .run_at = row.integer(1),
                  .attempts = bounded(row.integer(2)),
                  .fence = row.integer(3),
                  .node = row.integer(4),
                  .max_attempts = bounded(row.optional_integer(5)),
                  .started_at = row.optional_time(6)};
}

}  // namespace

std::optional<Placed> find_placed(Session& session, JobId id) {
    if (auto placed = find_running(session, id)) return placed;
    if (auto placed = find_done(session, id)) return placed;
    if (auto placed = find_dead(session, id)) return placed;
    return find_pending(session, id);
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
