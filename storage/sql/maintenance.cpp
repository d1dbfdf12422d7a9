#include "storage/sql/placed.h"
#include "storage/sql/sql_store.h"

namespace jobhost::sql {
namespace {

struct Deadline {
    std::int64_t expires_at = 0;
    JobId id = 0;
};

/// Deadlines that have passed, of jobs that do not run. A claimed one is checked again just before
/// its start, and must not hide others here.
constexpr std::string_view kPassed =
    "SELECT d.expires_at, d.id FROM deadline d WHERE d.expires_at <= ?1 "
    "AND NOT EXISTS (SELECT 1 FROM running r WHERE r.id = d.id AND r.started_at IS NULL) "
    "ORDER BY d.expires_at, d.id LIMIT ?2";

std::vector<Deadline> read_passed(Session& session, int limit) {
    std::vector<Deadline> passed;
    Query row = session.query(kPassed);
    row.bind_all(session.now(), limit);
    while (row.step()) passed.push_back({.expires_at = row.integer(0), .id = row.integer(1)});
    return passed;
}

/// A requeue takes the deadline away; the start of a run ends it.
bool still_counts(Session& session, const Deadline& deadline) {
    Query row = session.query(
        "SELECT 1 FROM job j LEFT JOIN trail t ON t.id = j.id "
        "WHERE j.id = ? AND j.expires_at = ? AND t.first_started_at IS NULL");
    row.bind_all(deadline.id, deadline.expires_at);
    return row.step();
}

bool expire(Session& session, const Deadline& deadline) {
    session.query("DELETE FROM deadline WHERE expires_at = ? AND id = ?")
        .bind_all(deadline.expires_at, deadline.id)
        .run();
    if (!still_counts(session, deadline)) return false;
    const std::optional<Placed> placed = find_placed(session, deadline.id);
    if (!placed || placed->table != Placed::Table::kPending) return false;
    move_to_done(session, deadline.id, *placed, JobState::kExpired, "expired", session.now());
    return true;
}

}  // namespace

TimePoint SqlStore::now() {
    return session_.now();
}

int SqlStore::expire_jobs(int limit) {
    const bool some = session_.read([&] { return !read_passed(session_, 1).empty(); });
    if (!some) return 0;
    return session_.transact(Durability::kDurable, [&] {
        int expired = 0;
        for (const Deadline& deadline : read_passed(session_, limit)) {
            if (expire(session_, deadline)) ++expired;
        }
        return expired;
    });
}

}  // namespace jobhost::sql
