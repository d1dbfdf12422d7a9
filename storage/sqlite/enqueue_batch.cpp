#include "storage/sqlite/enqueue_batch.h"

#include "storage/sql/placed.h"

namespace jobhost::sqlite {

using sql::Lane;
using sql::lane_of;
using sql::NameKind;

/// The two that every job needs, looked up once.
struct EnqueueBatch::Statements {
    explicit Statements(Session& session)
        : job(session.query(
              "INSERT INTO job (id, lane, created_at, run_at, expires_at, max_attempts, timeout, "
              "idempotency_key, traceparent, source, tags, input) "
              "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")),
          pending(session.query("INSERT INTO pending (lane, run_at, id, attempts, fence) "
                                "VALUES (?, ?, ?, 0, 0)")) {}
    Query job;
    Query pending;
};

EnqueueBatch::EnqueueBatch(Session& session, std::span<const NewJob> jobs, TimePoint now)
    : session_(session), jobs_(jobs), now_(now) {}

std::optional<EnqueueRefusal> EnqueueBatch::resolve_keys() {
    for (std::size_t index = 0; index < jobs_.size(); ++index) {
        if (!jobs_[index].idempotency_key) continue;
        if (auto refusal = resolve_key(index)) return refusal;
    }
    return std::nullopt;
}

std::optional<EnqueueRefusal> EnqueueBatch::resolve_key(std::size_t index) {
    const NewJob& job = jobs_[index];
    Holder& holder = holders_[index];
    const auto [earlier, is_new] = keys_.try_emplace({job.type, *job.idempotency_key}, index);
    if (!is_new) {
        holder = holders_[earlier->second];
        if (holder.is_free()) holder.earlier = earlier->second;
        return std::nullopt;
    }

    const auto type = session_.names().find(NameKind::kType, job.type);
    if (!type) return std::nullopt;
    Query row = session_.query("SELECT id, state FROM idempotency WHERE type = ? AND key = ?");
    row.bind_all(*type, *job.idempotency_key);
    if (!row.step()) return std::nullopt;
    const JobId id = row.integer(0);
    const std::optional<JobState> state =
        sql::key_holder_state(session_, id, row.optional_integer(1));
    if (!state) return std::nullopt;
    switch (sql::judge_key(job.on_duplicate, *state)) {
        case sql::KeyVerdict::kDuplicate: holder.existing = id; break;
        case sql::KeyVerdict::kFree: break;
        case sql::KeyVerdict::kRefused: return sql::refusal_by_key(index, id, *state);
    }
    return std::nullopt;
}

std::vector<Enqueued> EnqueueBatch::store(std::optional<std::string_view> source) {
    std::vector<Enqueued> answers(jobs_.size());
    std::size_t count = 0;
    for (std::size_t index = 0; index < jobs_.size(); ++index) {
        const auto holder = holders_.empty() ? holders_.end() : holders_.find(index);
        if (holder == holders_.end() || holder->second.is_free()) ++count;
    }
    JobId next = count > 0 ? take_ids(count) : 0;

    Statements statements(session_);
    for (std::size_t index = 0; index < jobs_.size(); ++index) {
        const NewJob& job = jobs_[index];
        Enqueued& answer = answers[index];
        const auto holder = holders_.empty() ? holders_.end() : holders_.find(index);
        if (holder != holders_.end() && !holder->second.is_free()) {
            const auto& earlier = holder->second.earlier;
            answer.id = earlier ? answers[*earlier].id : holder->second.existing;
            answer.duplicate = true;
        } else {
            answer.id = next++;
            insert(statements, job, answer.id, source.value_or(job.source));
        }
        const sql::Reach reach = reaches_.of(session_, job);
        answer.has_live_node = reach.type;
        answer.has_live_queue = reach.queue || answer.duplicate;  // that one has its own queue
    }
    if (count > 0) session_.announce_after_commit();
    return answers;
}

void EnqueueBatch::insert(Statements& statements, const NewJob& job, JobId id,
                          std::string_view source) {
    const std::int64_t queue = session_.names().id_of(NameKind::kQueue, job.queue);
    const std::int64_t type = session_.names().id_of(NameKind::kType, job.type);
    const Lane lane = lane_of(queue, job.priority, type);
    const sql::JobTimes times = sql::times_of(job, now_);
    const std::string tags = job.tags.empty() ? std::string() : sql::join_lines(job.tags);

    statements.job
        .bind_all(id, lane, now_, times.run_at, times.expires_at, job.max_attempts, job.timeout,
                  job.idempotency_key, job.traceparent, source)
        .bind(11, job.tags.empty() ? std::optional<std::string_view>() : tags)
        .bind_blob(12, job.input)
        .run();
    statements.pending.bind_all(lane, times.run_at, id).run();

    if (job.idempotency_key) insert_key(job, type, id);
    if (!job.tags.empty()) insert_tags(job, id);
    if (times.expires_at) {
        session_.query("INSERT INTO deadline (expires_at, id) VALUES (?, ?)")
            .bind_all(*times.expires_at, id)
            .run();
    }
    session_.counts().move(lane, std::nullopt, JobState::kEnqueued);
    session_.counts().enqueued(lane);
}

void EnqueueBatch::insert_key(const NewJob& job, std::int64_t type, JobId id) {
    // A row that is there belongs to a job whose end lets the key go.
    session_
        .query(
            "INSERT INTO idempotency (type, key, id, at, state) VALUES (?, ?, ?, ?, NULL) "
            "ON CONFLICT (type, key) DO UPDATE SET id = excluded.id, at = excluded.at, "
            "state = NULL")
        .bind_all(type, *job.idempotency_key, id, now_)
        .run();
}

void EnqueueBatch::insert_tags(const NewJob& job, JobId id) {
    Query insert = session_.query("INSERT OR IGNORE INTO tag (tag, id) VALUES (?, ?)");
    for (const std::string& tag : job.tags) insert.bind_all(tag, id).run();
}

JobId EnqueueBatch::take_ids(std::size_t count) {
    JobId first = 0;
    {
        Query row =
            session_.query("UPDATE seq SET next = next + ?1 WHERE name = 1 RETURNING next - ?1");
        row.bind_all(static_cast<std::int64_t>(count));
        if (!row.step()) {
            throw StorageError(StorageError::Kind::kCorrupt, "the row of `seq` for jobs is gone");
        }
        first = row.integer(0);
    }
    session_.query("INSERT OR IGNORE INTO tick (hour, first_id) VALUES (?, ?)")
        .bind_all(now_.time_since_epoch().count() / 3'600'000'000, first)
        .run();
    return first;
}

}  // namespace jobhost::sqlite
