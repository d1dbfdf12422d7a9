#include "storage/sql/transitions.h"

#include <algorithm>

#include "storage/check.h"
#include "storage/overloaded.h"
#include "storage/sql/run_record.h"
#include "storage/stored_text.h"

namespace jobhost::sql {
namespace {

using Outcome = WriteAnswer::Outcome;

std::string cancelled_by(const std::string& name) {
    return storable_text("cancelled by " + name, kMaxLineBytes);
}

TimePoint after(TimePoint now, Duration delay) {
    return now + std::clamp(delay, Duration::zero(), kLongestDelay);
}

bool comes_back(const Transition& next) {
    return std::holds_alternative<Retry>(next) || std::holds_alternative<Snooze>(next) ||
           std::holds_alternative<Release>(next);
}

}  // namespace

Transitions::Transitions(Session& session, NodeId acting, TimePoint now,
                         const MakeBatch* make_batch)
    : session_(session), acting_(acting), now_(now), make_batch_(make_batch) {}

WriteAnswer Transitions::apply(const RunReport& report) {
    return apply_guarded(report, false);
}

WriteAnswer Transitions::apply_to_orphan(const RunReport& report) {
    return apply_guarded(report, true);
}

WriteAnswer Transitions::apply_guarded(const RunReport& report, bool is_orphan) {
    WriteAnswer answer;
    const auto* success = std::get_if<Succeed>(&report.next);
    if (success != nullptr) {
        answer = succeed(report, *success);
    } else if (const std::optional<Run> run = take_out(report)) {
        answer = end(report, *run, is_orphan);
    } else {
        return is_orphan ? repeat_of_orphan(report) : repeat(report);
    }
    if (answer.outcome == Outcome::kStored) {
        add_log(session_, report.lease.job, report.log);
        set_progress(session_, report.lease.job, report.progress_percent, report.progress_text,
                     now_);
    }
    return answer;
}

/// The most frequent way, without reading anything back.
WriteAnswer Transitions::succeed(const RunReport& report, const Succeed& succeed) {
    const Lease& lease = report.lease;
    if (!succeed_insert_) {
        succeed_insert_.emplace(
            session_.statement("INSERT INTO done (id, state, attempts, max_attempts, fence, node, "
                               "started_at, finished_at) SELECT id, 4, attempts, max_attempts, "
                               "fence, node, coalesce(?4, started_at), ?5 FROM running "
                               "WHERE id = ?1 AND node = ?2 AND fence = ?3 {lock}"));
        succeed_delete_.emplace(session_.statement("DELETE FROM running WHERE id = ?"));
    }
    const int stored =
        succeed_insert_->bind_all(lease.job, lease.node, lease.fence, report.started_at, now_)
            .run();
    if (stored == 0) return repeat(report);
    std::unique_ptr<EnqueueBatch> batch;
    if (!succeed.jobs.empty()) {
        JOBHOST_CHECK(make_batch_ != nullptr);
        batch = (*make_batch_)(succeed.jobs, now_);
        if (const auto refusal = batch->resolve_keys()) {
            session_.query("DELETE FROM done WHERE id = ?").bind_all(lease.job).run();
            return {.outcome = Outcome::kRefused, .reason = refusal->reason};
        }
    }
    succeed_delete_->bind_all(lease.job).run();
    session_.counts().move(lease.token, JobState::kProcessing, JobState::kSucceeded);
    session_.counts().succeeded(lease.token);

    WriteAnswer answer{.state = JobState::kSucceeded};
    if (batch) {
        const std::string source = "job:" + std::to_string(lease.job);
        answer.enqueued = batch->store(source);
    }
    return answer;
}

std::optional<Transitions::Run> Transitions::take_out(const RunReport& report) {
    Query row = session_.query(
        "DELETE FROM running WHERE id = ? AND node = ? AND fence = ? "
        "RETURNING lane, run_at, attempts, max_attempts, started_at, cancel_by, claimed_at");
    row.bind_all(report.lease.job, report.lease.node, report.lease.fence);
    if (!row.step()) return std::nullopt;
    Run run{.lane = row.integer(0),
            .run_at = row.integer(1),
            .attempts = static_cast<int>(row.integer(2)),
            .max_attempts = static_cast<int>(row.integer(3)),
            .claimed_at = row.time(6),
            .started_at = row.optional_time(4),
            .cancel_by = row.optional_text(5)};
    if (report.started_at) run.started_at = report.started_at;
    row.step();  // to its end
    return run;
}

WriteAnswer Transitions::end(const RunReport& report, const Run& run, bool is_orphan) {
    const Lease& lease = report.lease;
    const bool cancel = run.cancel_by && (is_orphan || comes_back(report.next));
    const auto record = [&](const JobError& why) {
        add_error(session_, lease.job, lease.fence, run.attempts, why, now_);
    };
    WriteAnswer answer;
    const auto came_back = [&](const Return& back) {
        if (cancel) {
            end_as_cancelled(lease, run);
            answer.state = JobState::kCancelled;
            return;
        }
        give_back(lease, run, back);
        const bool due = back.run_at <= now_;
        answer.state = due ? JobState::kEnqueued : JobState::kScheduled;
        if (due) session_.announce_after_commit();
    };
    std::visit(Overloaded{
                   [](const Succeed&) {},  // see succeed()
                   [&](const Retry& retry) {
                       record(retry.why);
                       came_back({.run_at = after(now_, retry.delay),
                                  .attempts = run.attempts,
                                  .has_run = true,
                                  .orphanings = retry.orphaned ? Orphanings::kOneMore
                                                               : Orphanings::kCleared});
                       if (!cancel) session_.counts().retried(run.lane);
                   },
                   [&](const Snooze& snooze) {
                       came_back({.run_at = after(now_, snooze.delay),
                                  .attempts = run.attempts - 1,
                                  .has_run = true,
                                  .snoozes = 1,
                                  .orphanings = Orphanings::kCleared});
                   },
                   [&](const Release&) {
                       came_back({.run_at = TimePoint(Duration(run.run_at)),
                                  .attempts = run.attempts - 1});
                   },
                   [&](const Fail& fail) {
                       record(fail.why);
                       if (cancel) {
                           end_as_cancelled(lease, run);
                           answer.state = JobState::kCancelled;
                           return;
                       }
                       answer.owed = end_as_dead(lease, run, fail);
                       answer.state = JobState::kFailed;
                   },
                   [&](const Cancel& cancelled) {
                       if (cancelled.why) record(*cancelled.why);
                       const std::string reason = storable_text(cancelled.reason, kMaxLineBytes);
                       end_as_done(lease, run, JobState::kCancelled, reason);
                       answer.state = JobState::kCancelled;
                   },
                   [&](const Expire&) {
                       end_as_done(lease, run, JobState::kExpired, "expired");
                       answer.state = JobState::kExpired;
                   },
               },
               report.next);
    return answer;
}

void Transitions::give_back(const Lease& lease, const Run& run, const Return& back) {
    const int attempts = std::max(back.attempts, 0);
    // When its node died before it told of the start: no earlier than the claim. Whether it ran
    // decides whether its deadline still counts.
    const std::optional<TimePoint> started_at =
        !run.started_at && back.has_run ? std::optional(run.claimed_at) : run.started_at;
    session_.query("INSERT INTO pending (lane, run_at, id, attempts, fence) VALUES (?, ?, ?, ?, ?)")
        .bind_all(run.lane, back.run_at, lease.job, attempts, lease.fence)
        .run();
    session_
        .query(
            "INSERT INTO trail (id, run_at, max_attempts, first_started_at, started_at, node, "
            "snoozes, orphanings) VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7) "
            "ON CONFLICT (id) DO UPDATE SET run_at = excluded.run_at, "
            "max_attempts = excluded.max_attempts, "
            "first_started_at = coalesce(trail.first_started_at, excluded.first_started_at), "
            "started_at = coalesce(excluded.started_at, trail.started_at), node = excluded.node, "
            "snoozes = trail.snoozes + excluded.snoozes, "
            "orphanings = trail.orphanings * ?8 + excluded.orphanings")
        .bind_all(lease.job, back.run_at, run.max_attempts, started_at, lease.node, back.snoozes,
                  back.orphanings == Orphanings::kOneMore ? 1 : 0,
                  back.orphanings == Orphanings::kCleared ? 0 : 1)
        .run();
    session_.counts().move(run.lane, JobState::kProcessing, JobState::kEnqueued);
}

void Transitions::end_as_done(const Lease& lease, const Run& run, JobState state,
                              std::string_view reason) {
    session_
        .query(
            "INSERT INTO done (id, state, attempts, max_attempts, fence, node, started_at, "
            "finished_at, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind_all(lease.job, static_cast<int>(state), run.attempts, run.max_attempts, lease.fence,
                  lease.node, run.started_at, now_, reason)
        .run();
    session_.counts().move(run.lane, JobState::kProcessing, state);
}

void Transitions::end_as_cancelled(const Lease& lease, const Run& run) {
    end_as_done(lease, run, JobState::kCancelled, cancelled_by(run.cancel_by.value_or("")));
}

std::vector<OwedRun> Transitions::end_as_dead(const Lease& lease, const Run& run,
                                              const Fail& fail) {
    const std::string reason = storable_text(fail.reason, kMaxLineBytes);
    session_
        .query(
            "INSERT INTO dead (id, lane, attempts, max_attempts, fence, node, started_at, "
            "failed_at, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind_all(lease.job, run.lane, run.attempts, run.max_attempts, lease.fence, lease.node,
                  run.started_at, now_, reason)
        .run();
    session_.counts().move(run.lane, JobState::kProcessing, JobState::kFailed);
    session_.counts().failed(run.lane);

    std::vector<OwedRun> owed;
    for (const OwedDeadLetter& one : fail.owed) owed.push_back(insert_owed(lease, run, one));
    return owed;
}

OwedRun Transitions::insert_owed(const Lease& lease, const Run& run, const OwedDeadLetter& owed) {
    std::int64_t number = 0;
    {
        Query row = session_.query(
            "INSERT INTO dead_letter (id, fence, type, kind, name, state, node, tries, "
            "not_before, created_at) VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, 0, ?7, ?7) RETURNING run");
        row.bind_all(lease.job, lease.fence, type_of(run.lane), static_cast<int>(owed.kind),
                     owed.name, acting_, now_);
        if (row.step()) number = row.integer(0);
        row.step();  // to its end
    }
    const std::string* type = session_.names().text_of(type_of(run.lane));
    return {.run = number,
            .job = lease.job,
            .type = type != nullptr ? *type : std::string(),
            .kind = owed.kind,
            .name = owed.name};
}

WriteAnswer Transitions::apply(const RunNote& note) {
    std::optional<std::string> stopping;
    if (note.stopping) stopping = storable_text(*note.stopping, kMaxLineBytes);
    const int known =
        session_
            .query(
                "UPDATE running SET started_at = coalesce(?4, started_at), "
                "stopping = coalesce(?5, stopping) WHERE id = ?1 AND node = ?2 AND fence = ?3")
            .bind_all(note.lease.job, note.lease.node, note.lease.fence, note.started_at, stopping)
            .run();
    if (known == 0) return {.outcome = Outcome::kLeaseLost};
    add_log(session_, note.lease.job, note.log);
    set_progress(session_, note.lease.job, note.progress_percent, note.progress_text, now_);
    return {.state = JobState::kProcessing};
}

WriteAnswer Transitions::apply(const SaveCheckpoint& save) {
    {
        Query row = session_.query("SELECT 1 FROM running WHERE id = ? AND node = ? AND fence = ?");
        row.bind_all(save.lease.job, save.lease.node, save.lease.fence);
        if (!row.step()) return {.outcome = Outcome::kLeaseLost};
    }
    set_checkpoint(session_, save.lease.job, save.json, now_);
    return {.state = JobState::kProcessing};
}

}  // namespace jobhost::sql
