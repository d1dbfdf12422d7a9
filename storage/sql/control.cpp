#include <cstdint>
#include <string>

#include "storage/sql/placed.h"
#include "storage/sql/sql_store.h"

namespace jobhost::sql {
namespace {

using Outcome = ControlAnswer::Outcome;

constexpr std::size_t kMaxByBytes = 256;

/// What an operator's act needs of the job's own row.
struct JobRow {
    Lane lane = 0;
    std::optional<std::string> key = {};
    std::optional<TimePoint> expires_at = {};
};

std::optional<JobRow> find_row(Session& session, JobId id) {
    Query row = session.query("SELECT lane, idempotency_key, expires_at FROM job WHERE id = ?");
    if (!row.bind(1, id).step()) return std::nullopt;
    return JobRow{
        .lane = row.integer(0), .key = row.optional_text(1), .expires_at = row.optional_time(2)};
}

std::string job_text(JobId id) {
    return "job " + std::to_string(id);
}

ControlAnswer not_found(JobId id) {
    return {.outcome = Outcome::kNotFound, .reason = "there is no " + job_text(id)};
}

ControlAnswer refused(std::string reason, JobState state) {
    return {.outcome = Outcome::kRefused, .reason = std::move(reason), .state = state};
}

ControlAnswer refused_as_broken(JobId id) {
    return refused(job_text(id) + " is broken: a part of it is not in the store; it can be deleted",
                   JobState::kFailed);
}

/// The name of the node when it lives. One that stopped or died answers for nothing any more.
std::optional<std::string> live_node(Session& session, NodeId node) {
    Query row = session.query("SELECT name FROM node WHERE id = ? AND state = 0");
    if (!row.bind(1, node).step()) return std::nullopt;
    return row.text(0);
}

/// The live job, other than this one, that holds the key by now.
std::optional<JobId> other_live_holder(Session& session, JobId id, const JobRow& job) {
    if (!job.key) return std::nullopt;
    JobId holder = 0;
    {
        Query row = session.query(
            "SELECT id FROM idempotency WHERE type = ? AND key = ? AND state IS NULL");
        if (!row.bind_all(type_of(job.lane), *job.key).step()) return std::nullopt;
        holder = row.integer(0);
    }
    if (holder == id) return std::nullopt;
    const std::optional<Placed> placed = find_placed(session, holder);
    return placed && !is_terminal(placed->state) ? std::optional<JobId>(holder) : std::nullopt;
}

void remove_deadline(Session& session, JobId id, const JobRow& job) {
    if (!job.expires_at) return;
    session.query("DELETE FROM deadline WHERE expires_at = ? AND id = ?")
        .bind_all(*job.expires_at, id)
        .run();
}

/// The job's place while it waits is where its trail says; the fence goes on from where it was.
void put_back(Session& session, JobId id, const Placed& placed, TimePoint now) {
    session.query("INSERT INTO pending (lane, run_at, id, attempts, fence) VALUES (?, ?, ?, 0, ?)")
        .bind_all(placed.lane, now, id, placed.fence)
        .run();
    session
        .query(
            "INSERT INTO trail (id, run_at, max_attempts, first_started_at, started_at, node, "
            "snoozes, orphanings) VALUES (?, ?, NULL, NULL, NULL, 0, 0, 0) "
            "ON CONFLICT (id) DO UPDATE SET run_at = excluded.run_at, max_attempts = NULL, "
            "first_started_at = NULL, started_at = NULL, node = 0, snoozes = 0, orphanings = 0")
        .bind_all(id, now)
        .run();
    session.counts().move(placed.lane, std::nullopt, JobState::kEnqueued);
}

void take_key(Session& session, JobId id, const JobRow& job, TimePoint now) {
    if (!job.key) return;
    session
        .query(
            "INSERT INTO idempotency (type, key, id, at, state) VALUES (?, ?, ?, ?, NULL) "
            "ON CONFLICT (type, key) DO UPDATE SET id = excluded.id, at = excluded.at, "
            "state = NULL")
        .bind_all(type_of(job.lane), *job.key, id, now)
        .run();
}

ControlAnswer requeue(Session& session, JobId id, bool fresh) {
    const std::optional<JobRow> job = find_row(session, id);
    const std::optional<Placed> placed = find_placed(session, id);
    if (!job && !placed) return not_found(id);
    if (!job || !placed) return refused_as_broken(id);
    if (!is_terminal(placed->state)) {
        return refused(
            job_text(id) + " has not ended: it is " + std::string(to_string(placed->state)),
            placed->state);
    }
    if (const auto other = other_live_holder(session, id, *job)) {
        return refused(job_text(*other) + " holds the idempotency key of " + job_text(id) + " now",
                       placed->state);
    }

    const TimePoint now = session.now();
    remove_placed(session, id, *placed);
    put_back(session, id, *placed, now);
    take_key(session, id, *job, now);
    if (job->expires_at) {
        remove_deadline(session, id, *job);
        session.query("UPDATE job SET expires_at = NULL WHERE id = ?").bind(1, id).run();
    }
    session.query("DELETE FROM progress WHERE id = ?").bind(1, id).run();
    if (fresh) session.query("DELETE FROM checkpoint WHERE id = ?").bind(1, id).run();
    session.announce_after_commit();
    return {.outcome = Outcome::kDone, .state = JobState::kEnqueued};
}

/// The node that runs the job is told; it decides by what the job does next.
ControlAnswer request_cancel(Session& session, JobId id, const Placed& placed,
                             const std::string& by) {
    const ControlAnswer requested{.outcome = Outcome::kRequested, .state = JobState::kProcessing};
    if (placed.cancel_by) return requested;  // a second click
    session.query("UPDATE running SET cancel_by = ? WHERE id = ?").bind_all(by, id).run();
    session.query("INSERT INTO request (node, kind, job, fence, by, at) VALUES (?, ?, ?, ?, ?, ?)")
        .bind_all(placed.node, static_cast<int>(NodeRequest::Kind::kCancelJob), id, placed.fence,
                  by, session.now())
        .run();
    session.announce_after_commit();
    return requested;
}

ControlAnswer cancel(Session& session, JobId id, const std::string& by) {
    const std::optional<JobRow> job = find_row(session, id);
    const std::optional<Placed> placed = find_placed(session, id);
    if (!placed) return job ? refused_as_broken(id) : not_found(id);
    if (is_terminal(placed->state)) {
        return refused(
            job_text(id) + " has ended already: it is " + std::string(to_string(placed->state)),
            placed->state);
    }
    if (placed->table == Placed::Table::kRunning && live_node(session, placed->node)) {
        return request_cancel(session, id, *placed, by);
    }
    move_to_done(session, id, *placed, JobState::kCancelled, "cancelled by " + by, session.now());
    if (job) remove_deadline(session, id, *job);
    return {.outcome = Outcome::kDone, .state = JobState::kCancelled};
}

/// A dead-letter run of the job that a live node is about to do, or does.
std::optional<std::string> node_with_open_run(Session& session, JobId id) {
    Query row = session.query(
        "SELECT n.name FROM dead_letter l JOIN node n ON n.id = l.node "
        "WHERE l.id = ? AND l.state < 2 AND n.state = 0 LIMIT 1");
    if (!row.bind(1, id).step()) return std::nullopt;
    return row.text(0);
}

ControlAnswer erase(Session& session, JobId id) {
    const std::optional<Placed> placed = find_placed(session, id);
    const JobState state = placed ? placed->state : JobState::kFailed;
    if (placed && placed->table == Placed::Table::kRunning) {
        if (const auto node = live_node(session, placed->node)) {
            return refused("node " + *node + " runs " + job_text(id) + "; cancel it first", state);
        }
    }
    if (const auto node = node_with_open_run(session, id)) {
        return refused(
            "node " + *node + " has a dead-letter run of " + job_text(id) + " to finish first",
            state);
    }
    if (!erase_job(session, id, KeyFate::kRemoved)) return not_found(id);
    return {.outcome = Outcome::kDone, .state = state};
}

}  // namespace

ControlAnswer SqlStore::requeue_job(JobId id, bool fresh) {
    return session_.transact(Durability::kDurable, [&] { return requeue(session_, id, fresh); });
}

ControlAnswer SqlStore::cancel_job(JobId id, const std::string& by) {
    const std::string who = by.substr(0, kMaxByBytes);
    return session_.transact(Durability::kDurable, [&] { return cancel(session_, id, who); });
}

ControlAnswer SqlStore::delete_job(JobId id) {
    return session_.transact(Durability::kDurable, [&] { return erase(session_, id); });
}

bool SqlStore::pause(Pause::Kind kind, const std::string& name, const std::string& service,
                     const std::string& by) {
    return session_.transact(Durability::kDurable, [&] {
        return session_
                   .query(
                       "INSERT INTO pause (kind, name, service, at, by) VALUES (?, ?, ?, ?, ?) "
                       "ON CONFLICT DO NOTHING")
                   .bind_all(static_cast<int>(kind), name, service, session_.now(), by)
                   .run() > 0;
    });
}

bool SqlStore::resume(Pause::Kind kind, const std::string& name, const std::string& service) {
    return session_.transact(Durability::kDurable, [&] {
        const int removed =
            session_.query("DELETE FROM pause WHERE kind = ? AND name = ? AND service = ?")
                .bind_all(static_cast<int>(kind), name, service)
                .run();
        if (removed > 0) session_.announce_after_commit();
        return removed > 0;
    });
}

}  // namespace jobhost::sql
