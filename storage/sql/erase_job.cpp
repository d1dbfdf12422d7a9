#include "storage/sql/placed.h"
#include "storage/sql/session.h"

namespace jobhost::sql {
namespace {

struct JobRow {
    Lane lane = 0;
    std::optional<std::string> key = {};
    std::optional<TimePoint> expires_at = {};
    std::vector<std::string> tags = {};
};

std::optional<JobRow> find_row(Session& session, JobId id) {
    Query row =
        session.query("SELECT lane, idempotency_key, expires_at, tags FROM job WHERE id = ?");
    row.bind_all(id);
    if (!row.step()) return std::nullopt;
    return JobRow{.lane = row.integer(0),
                  .key = row.optional_text(1),
                  .expires_at = row.optional_time(2),
                  .tags = split_lines(row.view(3))};
}

void end_key(Session& session, JobId id, const JobRow& job, KeyFate fate,
             const std::optional<Placed>& placed) {
    if (!job.key) return;
    if (fate == KeyFate::kRemoved || !placed) {
        session.query("DELETE FROM idempotency WHERE type = ? AND key = ? AND id = ?")
            .bind_all(type_of(job.lane), *job.key, id)
            .run();
        return;
    }
    session.query("UPDATE idempotency SET state = ? WHERE type = ? AND key = ? AND id = ?")
        .bind_all(static_cast<int>(placed->state), type_of(job.lane), *job.key, id)
        .run();
}

}  // namespace

bool detach_job(Session& session, JobId id, KeyFate key) {
    const std::optional<Placed> placed = find_placed(session, id);
    const std::optional<JobRow> job = find_row(session, id);
    if (!placed && !job) return false;

    if (placed) remove_placed(session, id, *placed);
    if (!job) return true;
    end_key(session, id, *job, key, placed);
    for (const std::string& tag : job->tags) {
        session.query("DELETE FROM tag WHERE tag = ? AND id = ?").bind_all(tag, id).run();
    }
    if (job->expires_at) {
        session.query("DELETE FROM deadline WHERE expires_at = ? AND id = ?")
            .bind_all(*job->expires_at, id)
            .run();
    }
    return true;
}

void erase_rows(Session& session, std::span<const JobId> jobs) {
    if (jobs.empty()) return;
    std::string list = "[";
    for (const JobId id : jobs) list += (list.size() > 1 ? "," : "") + std::to_string(id);
    list += "]";
    for (const char* sql :
         {"DELETE FROM job WHERE id IN {list ?1}", "DELETE FROM trail WHERE id IN {list ?1}",
          "DELETE FROM fault WHERE id IN {list ?1}", "DELETE FROM checkpoint WHERE id IN {list ?1}",
          "DELETE FROM progress WHERE id IN {list ?1}", "DELETE FROM log WHERE id IN {list ?1}",
          "DELETE FROM dead_letter WHERE id IN {list ?1}"}) {
        session.query(sql).bind_all(list).run();
    }
}

bool erase_job(Session& session, JobId id, KeyFate key) {
    if (!detach_job(session, id, key)) return false;
    erase_rows(session, std::span(&id, 1));
    return true;
}

}  // namespace jobhost::sql
