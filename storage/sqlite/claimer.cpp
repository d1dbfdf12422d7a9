#include "storage/sqlite/claimer.h"

#include <algorithm>

#include "storage/sql/claim_rule.h"
#include "storage/sql/placed.h"

namespace jobhost::sqlite {
namespace {

using namespace sql;

constexpr std::size_t kMostTold = 1000;
constexpr int kMostReserved = 1000;

}  // namespace

struct Claimer::Statements {
    explicit Statements(Session& session)
        : probe(session.query("SELECT lane, run_at FROM pending WHERE lane >= ? "
                              "ORDER BY lane, run_at LIMIT 1")),
          job(session.query("SELECT created_at, expires_at, max_attempts, timeout, "
                            "idempotency_key, traceparent, source, tags, input "
                            "FROM job WHERE id = ?")),
          // A row that is there already is a broken one: see report_broken().
          running(session.query("INSERT OR IGNORE INTO running (id, lane, run_at, attempts, "
                                "max_attempts, fence, node, claimed_at) "
                                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)")) {}
    Query probe;
    Query job;
    Query running;
};

struct Claimer::Call {
    Call(Session& session, NodeId of, TimePoint at, Exchanged& into)
        : statements(session), node(of), now(at), exchanged(into) {}

    Statements statements;
    const NodeId node;
    const TimePoint now;
    Exchanged& exchanged;
    std::optional<Probe> probe = {};  // the last one: the first lane behind it that has rows
    bool nothing_behind = false;      // the last one found none
    std::size_t queue = 0;            // index in the plan
    int free = 0;                     // still wanted
    int prefetch = 0;                 // still wanted beyond that
    int last_attempts = 0;            // rows that may not be prefetched
    std::vector<JobId> expired = {};

    bool wants_more() const { return free > 0 || prefetch > 0; }
    void due_later(std::int64_t run_at) {
        const TimePoint time{Duration(run_at)};
        auto& next = exchanged.next_due;
        if (!next || time < *next) next = time;
    }
};

/// A walk over one lane, in its order.
struct Claimer::Cursor {
    std::unique_ptr<Query> rows;
    OwnLane own;
    Waiting row;                      // the one it stands on
    std::vector<Waiting> taken = {};  // in order
    bool all_taken = true;            // up to the last of `taken`, none was left out

    /// False at the end of what is due; then the first later one counts as `next_due`.
    bool next(Call& call) {
        if (!rows->step()) return false;
        row = {.run_at = rows->integer(0),
               .id = rows->integer(1),
               .attempts = rows->integer(2),
               .fence = rows->integer(3)};
        if (TimePoint(Duration(row.run_at)) <= call.now) return true;
        call.due_later(row.run_at);
        return false;
    }
};

Statement& Claimer::cursor_statement(std::size_t index) {
    while (cursor_statements_.size() <= index) {
        cursor_statements_.emplace_back(session_.database(),
                                        "SELECT run_at, id, attempts, fence FROM pending "
                                        "WHERE lane = ? ORDER BY run_at, id");
    }
    return cursor_statements_[index];
}

void Claimer::claim(NodeId node, std::string_view service, std::span<const Demand> demands,
                    TimePoint now, Exchanged& exchanged) {
    plan_.prepare(session_, service);
    std::vector<JobId> expired;
    {
        Call call(session_, node, now, exchanged);
        for (const Demand& demand : demands) {
            if (demand.queue < plan_.queues().size()) claim_queue(call, demand);
        }
        expired = std::move(call.expired);
    }
    end_expired(session_, expired, now);
}

void Claimer::claim_queue(Call& call, const Demand& demand) {
    const ClaimPlan::Queue& queue = plan_.queues()[demand.queue];
    if (queue.paused || demand.free + demand.prefetch <= 0) return;
    call.queue = demand.queue;
    call.free = std::max(demand.free, 0);
    call.prefetch = std::max(demand.prefetch, 0);
    call.last_attempts = 0;
    call.probe.reset();
    call.nothing_behind = false;
    for (const Priority priority :
         {Priority::kCritical, Priority::kHigh, Priority::kNormal, Priority::kLow}) {
        if (!call.wants_more()) break;
        const std::vector<OwnLane> lanes = due_lanes(call, queue, priority);
        if (!lanes.empty()) claim_lanes(call, lanes);
    }
    if (!call.wants_more()) call.exchanged.claimed_all_wanted = true;
}

/// Leaps between the plan's lanes and the lanes that have rows, so the cost is one probe for each
/// of the smaller set.
std::vector<Claimer::OwnLane> Claimer::due_lanes(Call& call, const ClaimPlan::Queue& queue,
                                                 Priority priority) {
    std::vector<OwnLane> lanes;
    auto type = queue.types.begin();
    while (type != queue.types.end() && !call.nothing_behind) {
        const Lane lane = lane_of(queue.id, priority, type->id);
        if (!call.probe || call.probe->lane < lane) {
            Query& probe = call.statements.probe;
            probe.bind_all(lane);
            call.probe.reset();
            if (probe.step()) call.probe = Probe{probe.integer(0), probe.integer(1)};
            probe.reset();
            call.nothing_behind = !call.probe;
        }
        if (!call.probe || call.probe->lane >= lane_of(queue.id, priority, kMaxTypeId)) break;
        if (call.probe->lane == lane) {
            const bool due = TimePoint(Duration(call.probe->run_at)) <= call.now;
            if (!type->paused && due) lanes.push_back({.lane = lane, .type = &*type});
            if (!type->paused && !due) call.due_later(call.probe->run_at);
            ++type;
            continue;
        }
        type = std::lower_bound(
            type, queue.types.end(), type_of(call.probe->lane),
            [](const ClaimPlan::Type& known, std::int64_t id) { return known.id < id; });
    }
    return lanes;
}

void Claimer::claim_lanes(Call& call, const std::vector<OwnLane>& lanes) {
    std::vector<Cursor> cursors;
    cursors.reserve(lanes.size());
    for (const OwnLane& own : lanes) {
        Cursor cursor{.rows = std::make_unique<Query>(cursor_statement(cursors.size())),
                      .own = own,
                      .row = {}};
        cursor.rows->bind_all(own.lane);
        if (cursor.next(call)) cursors.push_back(std::move(cursor));
    }
    merge(call, cursors);
    // Only now: a table that changes under an open cursor may show it a row twice.
    for (Cursor& cursor : cursors) cursor.rows->reset();
    for (const Cursor& cursor : cursors) remove_taken(cursor);
}

void Claimer::merge(Call& call, std::vector<Cursor>& cursors) {
    const auto later_first = [](const Cursor* a, const Cursor* b) {
        return std::pair(a->row.run_at, a->row.id) > std::pair(b->row.run_at, b->row.id);
    };
    // In one step, but not for what is only wanted: mostly there is less.
    if (!cursors.empty() && call.exchanged.claimed.capacity() == 0) {
        call.exchanged.claimed.reserve(
            static_cast<std::size_t>(std::min(call.free + call.prefetch, kMostReserved)));
    }
    std::vector<Cursor*> heap;
    for (Cursor& cursor : cursors) heap.push_back(&cursor);
    std::ranges::make_heap(heap, later_first);
    while (!heap.empty() && call.wants_more()) {
        std::ranges::pop_heap(heap, later_first);
        Cursor& cursor = *heap.back();
        const Taken taken = take(call, cursor, cursor.row);
        if (taken == Taken::kStop) return;
        if (taken == Taken::kYes) cursor.taken.push_back(cursor.row);
        if (taken != Taken::kYes) cursor.all_taken = false;
        if (cursor.next(call)) {
            std::ranges::push_heap(heap, later_first);
        } else {
            heap.pop_back();
        }
    }
}

void Claimer::remove_taken(const Cursor& cursor) {
    if (cursor.taken.empty()) return;
    const Lane lane = cursor.own.lane;
    if (cursor.all_taken) {
        const Waiting& last = cursor.taken.back();
        session_.query("DELETE FROM pending WHERE lane = ? AND (run_at, id) <= (?, ?)")
            .bind_all(lane, last.run_at, last.id)
            .run();
        return;
    }
    Query remove = session_.query("DELETE FROM pending WHERE lane = ? AND run_at = ? AND id = ?");
    for (const Waiting& row : cursor.taken) remove.bind_all(lane, row.run_at, row.id).run();
}

Claimer::Taken Claimer::take(Call& call, const Cursor& cursor, const Waiting& row) {
    ClaimedJob job;
    if (!read_job(call, row, job)) {
        report_broken(call, row.id, "waits but has no row in the table `job`");
        return Taken::kSkipped;
    }
    if (row.fence > 0) read_history(job);
    const bool is_prefetch = call.free == 0;
    switch (judge_claim(job, row.attempts, cursor.own.type->max_attempts, is_prefetch, call.now)) {
        case ClaimVerdict::kTake: break;
        case ClaimVerdict::kExpired:
            call.expired.push_back(row.id);
            return call.expired.size() < kMostExpired ? Taken::kExpired : Taken::kStop;
        case ClaimVerdict::kLastAttempt:
            return ++call.last_attempts < kMostLastAttempts ? Taken::kSkipped : Taken::kStop;
    }
    if (!insert_running(call, cursor, row, job.max_attempts)) {
        report_broken(call, row.id, "waits and runs at the same time");
        return Taken::kSkipped;
    }
    --(is_prefetch ? call.prefetch : call.free);
    const Lane lane = cursor.own.lane;
    session_.counts().move(lane, JobState::kEnqueued, JobState::kProcessing);
    job.lease = {.job = row.id, .node = call.node, .fence = row.fence + 1, .token = lane};
    job.queue = call.queue;
    job.type = cursor.own.type->index;
    job.priority = priority_of(lane);
    job.run_at = TimePoint(Duration(row.run_at));
    job.claimed_at = call.now;
    call.exchanged.claimed.push_back(std::move(job));
    return Taken::kYes;
}

bool Claimer::read_job(Call& call, const Waiting& row, ClaimedJob& job) {
    Query& found = call.statements.job;
    found.bind_all(row.id);
    if (!found.step()) {
        found.reset();
        return false;
    }
    job.created_at = found.time(0);
    job.expires_at = found.optional_time(1);
    job.max_attempts_requested = bounded(found.optional_integer(2));
    if (const auto timeout = found.optional_integer(3)) job.timeout_requested = Duration(*timeout);
    job.idempotency_key = found.optional_text(4);
    job.traceparent = found.optional_text(5);
    job.source = found.text(6);
    if (!found.is_null(7)) job.tags = split_lines(found.view(7));
    job.input = found.text(8);
    job.lease.job = row.id;
    found.reset();
    return true;
}

void Claimer::read_history(ClaimedJob& job) {
    {
        Query trail =
            session_.query("SELECT first_started_at, snoozes, orphanings FROM trail WHERE id = ?");
        trail.bind_all(job.lease.job);
        if (trail.step()) {
            job.first_started_at = trail.optional_time(0);
            job.snoozes = bounded(trail.integer(1));
            job.orphanings = bounded(trail.integer(2));
        }
    }
    Query checkpoint = session_.query("SELECT body FROM checkpoint WHERE id = ?");
    checkpoint.bind_all(job.lease.job);
    if (checkpoint.step()) job.checkpoint = checkpoint.text(0);
}

bool Claimer::insert_running(Call& call, const Cursor& cursor, const Waiting& row,
                             int max_attempts) {
    return call.statements.running
               .bind_all(row.id, cursor.own.lane, row.run_at, bounded(row.attempts + 1),
                         max_attempts, row.fence + 1, call.node, call.now)
               .run() == 1;
}

void Claimer::report_broken(Call& call, JobId id, const char* what) {
    if (told_.size() >= kMostTold || !told_.insert(id).second) return;
    call.exchanged.broken.push_back("job " + std::to_string(id) + " is skipped: it " + what);
}

}  // namespace jobhost::sqlite
