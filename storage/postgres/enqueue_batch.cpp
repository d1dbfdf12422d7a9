#include "storage/postgres/enqueue_batch.h"

#include <algorithm>

#include "storage/sql/placed.h"

namespace jobhost::postgres {
namespace {

/// A key whose holder is removed while we look is tried again.
constexpr int kMostRounds = 100;

}  // namespace

EnqueueBatch::EnqueueBatch(Session& session, std::span<const NewJob> jobs, TimePoint now)
    : session_(session), jobs_(jobs), now_(now), fates_(jobs.size()) {}

void EnqueueBatch::take_ids() {
    Query row = session_.query("SELECT nextval('job_id') FROM generate_series(1, ?)");
    row.bind_all(static_cast<std::int64_t>(jobs_.size()));
    for (std::size_t index = 0; index < jobs_.size() && row.step(); ++index) {
        const NewJob& job = jobs_[index];
        fates_[index].id = row.integer(0);
        fates_[index].queue = session_.names().id_of(sql::NameKind::kQueue, job.queue);
        fates_[index].type = session_.names().id_of(sql::NameKind::kType, job.type);
    }
}

std::optional<EnqueueRefusal> EnqueueBatch::resolve_keys() {
    take_ids();
    for (std::size_t index = 0; index < jobs_.size(); ++index) {
        if (!jobs_[index].idempotency_key) continue;
        const auto [first, is_new] =
            keys_.try_emplace({fates_[index].type, *jobs_[index].idempotency_key}, index);
        if (!is_new) fates_[index].earlier = first->second;
    }
    std::vector<Key> open;  // in order, so that two batches never wait for each other
    for (const auto& [key, index] : keys_) open.push_back(key);
    for (int round = 0; !open.empty(); ++round) {
        if (round == kMostRounds) throw sql::Collision("an idempotency key comes and goes");
        const std::vector<Key> held = take_free_keys(std::move(open));
        open.clear();
        for (const Key& key : held) {
            bool is_gone = false;
            if (auto refusal = resolve_held(key, keys_.at(key), is_gone)) {
                give_keys_back();
                return refusal;
            }
            if (is_gone) open.push_back(key);
        }
    }
    // A repeat inside the batch answers what the first one does.
    for (Fate& fate : fates_) {
        if (!fate.earlier || fates_[*fate.earlier].existing == 0) continue;
        fate.existing = fates_[*fate.earlier].existing;
        fate.earlier.reset();
    }
    return std::nullopt;
}

/// The keys that somebody holds already.
std::vector<EnqueueBatch::Key> EnqueueBatch::take_free_keys(std::vector<Key> keys) {
    Array types = Array::of_integers();
    Array texts = Array::of_texts();
    Array ids = Array::of_integers();
    for (const Key& key : keys) {
        types.add(key.first);
        texts.add(key.second);
        ids.add(fates_[keys_.at(key)].id);
    }
    constexpr std::string_view kTake =
        "INSERT INTO idempotency (type, key, id, at, state) SELECT t, k, i, ?4, NULL "
        "FROM unnest(?1::bigint[], ?2::text[], ?3::bigint[]) AS u(t, k, i) "
        "ON CONFLICT (type, key) DO NOTHING RETURNING id";
    BulkQuery take = session_.bulk(kTake);
    take.bind_all(types, texts, ids, now_);
    std::vector<JobId> taken;
    while (take.step()) taken.push_back(take.integer(0));
    std::ranges::sort(taken);
    std::erase_if(keys, [&](const Key& key) {
        return std::ranges::binary_search(taken, fates_[keys_.at(key)].id);
    });
    return keys;
}

std::optional<EnqueueRefusal> EnqueueBatch::resolve_held(const Key& key, std::size_t index,
                                                         bool& is_gone) {
    Fate& fate = fates_[index];
    JobId holder = 0;
    std::optional<JobState> state;
    {
        Query row = session_.query(
            "SELECT id, state FROM idempotency WHERE type = ? AND key = ? FOR UPDATE");
        row.bind_all(key.first, key.second);
        is_gone = !row.step();
        if (is_gone) return std::nullopt;
        holder = row.integer(0);
        state = sql::key_holder_state(session_, holder, row.optional_integer(1));
    }
    const OnDuplicate rule = jobs_[index].on_duplicate;
    const sql::KeyVerdict verdict = state ? sql::judge_key(rule, *state) : sql::KeyVerdict::kFree;
    switch (verdict) {
        case sql::KeyVerdict::kDuplicate: fate.existing = holder; return std::nullopt;
        case sql::KeyVerdict::kRefused: return sql::refusal_by_key(index, holder, *state);
        case sql::KeyVerdict::kFree: break;
    }
    fate.inherits_key = true;
    return std::nullopt;
}

void EnqueueBatch::give_keys_back() {
    Array ids = Array::of_integers();
    for (const Fate& fate : fates_) ids.add(fate.id);
    BulkQuery remove = session_.bulk(
        "DELETE FROM idempotency WHERE (type, key) IN "
        "(SELECT t, k FROM unnest(?1::bigint[], ?2::text[]) AS u(t, k)) "
        "AND id = ANY(?3::bigint[])");
    Array types = Array::of_integers();
    Array texts = Array::of_texts();
    for (const auto& [key, index] : keys_) {
        types.add(key.first);
        texts.add(key.second);
    }
    remove.bind_all(types, texts, ids).run();
}

/// From jobs whose end lets them go; their rows are locked since resolve_keys().
void EnqueueBatch::inherit_keys() {
    for (const auto& [key, index] : keys_) {
        if (!fates_[index].inherits_key) continue;
        session_
            .query(
                "UPDATE idempotency SET id = ?3, at = ?4, state = NULL "
                "WHERE type = ?1 AND key = ?2")
            .bind_all(key.first, key.second, fates_[index].id, now_)
            .run();
    }
}

std::vector<Enqueued> EnqueueBatch::store(std::optional<std::string_view> source) {
    std::vector<Enqueued> answers(jobs_.size());
    bool some_new = false;
    for (std::size_t index = 0; index < jobs_.size(); ++index) {
        const Fate& fate = fates_[index];
        Enqueued& answer = answers[index];
        answer.id = fate.id;
        if (fate.existing != 0) answer.id = fate.existing;
        if (fate.earlier) answer.id = fates_[*fate.earlier].id;
        answer.duplicate = !fate.is_new();
        const sql::Reach reach = reaches_.of(session_, jobs_[index]);
        answer.has_live_node = reach.type;
        answer.has_live_queue = reach.queue || answer.duplicate;  // that one has its own queue
        some_new = some_new || fate.is_new();
    }
    if (!some_new) return answers;
    inherit_keys();
    insert_rows(source);
    insert_tags();
    insert_deadlines();
    session_.announce_after_commit();
    return answers;
}

void EnqueueBatch::insert_rows(std::optional<std::string_view> source) {
    std::vector<Array> numbers(6, Array::of_integers());  // id, lane, run_at, expires, max, timeout
    std::vector<Array> texts(5, Array::of_texts());       // key, trace, source, tags, input
    for (std::size_t index = 0; index < jobs_.size(); ++index) {
        const Fate& fate = fates_[index];
        if (!fate.is_new()) continue;
        const NewJob& job = jobs_[index];
        const sql::Lane lane = sql::lane_of(fate.queue, job.priority, fate.type);
        const sql::JobTimes times = sql::times_of(job, now_);
        numbers[0].add(fate.id);
        numbers[1].add(lane);
        numbers[2].add(times.run_at);
        numbers[3].add(times.expires_at);
        if (job.max_attempts) {
            numbers[4].add(static_cast<std::int64_t>(*job.max_attempts));
        } else {
            numbers[4].add_null();
        }
        numbers[5].add(job.timeout);
        texts[0].add(job.idempotency_key);
        texts[1].add(job.traceparent);
        texts[2].add(source.value_or(job.source));
        if (job.tags.empty()) {
            texts[3].add_null();
        } else {
            texts[3].add(sql::join_lines(job.tags));
        }
        texts[4].add(std::string_view(job.input));
        session_.counts().move(lane, std::nullopt, JobState::kEnqueued);
        session_.counts().enqueued(lane);
    }
    BulkQuery insert = session_.bulk(
        "WITH src AS MATERIALIZED (SELECT * FROM unnest(?1::bigint[], ?2::bigint[], ?3::bigint[], "
        "?4::bigint[], ?5::bigint[], ?6::bigint[], ?7::text[], ?8::text[], ?9::text[], "
        "?10::text[], ?11::text[]) AS u(id, lane, run_at, expires_at, max_attempts, timeout, "
        "key, trace, source, tags, input)), made AS (INSERT INTO job (id, lane, created_at, "
        "run_at, expires_at, max_attempts, timeout, idempotency_key, traceparent, source, tags, "
        "input) SELECT id, lane, ?12, run_at, expires_at, max_attempts, timeout, key, trace, "
        "source, tags, input FROM src) INSERT INTO pending (lane, run_at, id, attempts, fence) "
        "SELECT lane, run_at, id, 0, 0 FROM src");
    int index = 0;
    for (const Array& column : numbers) insert.bind(++index, column);
    for (const Array& column : texts) insert.bind(++index, column);
    insert.bind(++index, now_);
    insert.run();
}

void EnqueueBatch::insert_tags() {
    Array tags = Array::of_texts();
    Array ids = Array::of_integers();
    for (std::size_t index = 0; index < jobs_.size(); ++index) {
        if (!fates_[index].is_new()) continue;
        for (const std::string& tag : jobs_[index].tags) {
            tags.add(std::string_view(tag));
            ids.add(fates_[index].id);
        }
    }
    if (tags.size() == 0) return;
    BulkQuery insert = session_.bulk(
        "INSERT INTO tag (tag, id) SELECT t, i FROM unnest(?1::text[], ?2::bigint[]) AS u(t, i) "
        "ON CONFLICT DO NOTHING");
    insert.bind_all(tags, ids).run();
}

void EnqueueBatch::insert_deadlines() {
    Array times = Array::of_integers();
    Array ids = Array::of_integers();
    for (std::size_t index = 0; index < jobs_.size(); ++index) {
        const auto expires_at = sql::times_of(jobs_[index], now_).expires_at;
        if (!fates_[index].is_new() || !expires_at) continue;
        times.add(*expires_at);
        ids.add(fates_[index].id);
    }
    if (times.size() == 0) return;
    BulkQuery insert = session_.bulk(
        "INSERT INTO deadline (expires_at, id) SELECT e, i "
        "FROM unnest(?1::bigint[], ?2::bigint[]) AS u(e, i)");
    insert.bind_all(times, ids).run();
}

}  // namespace jobhost::postgres
