#include "storage/postgres/claimer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "storage/sql/claim_rule.h"
#include "storage/sql/placed.h"

namespace jobhost::postgres {
namespace {

using sql::ClaimVerdict;

constexpr std::size_t kMostTold = 1000;
constexpr std::int64_t kMostAtOnce = 1000;
constexpr std::int64_t kMostAtOnceMerged = 200;  // for each lane
constexpr int kMostRounds = 20;

/// From here on it pays to remember where a lane begins.
constexpr std::int64_t kManyJobs = 100;
constexpr auto kForgetStartsAfter = std::chrono::seconds(1);

constexpr std::int64_t kBeforeAll = std::numeric_limits<std::int64_t>::min();

/// What a claim hands out, of the rows `p`; see Column.
const std::string kSelect =
    "SELECT p.tid, p.lane, p.run_at, p.id, p.attempts, p.fence, j.created_at, j.expires_at, "
    "j.max_attempts, j.timeout, j.idempotency_key, j.traceparent, j.source, j.tags, j.input, "
    "t.first_started_at, t.snoozes, t.orphanings, c.body FROM (";
const std::string kJoin =
    ") p LEFT JOIN job j ON j.id = p.id LEFT JOIN trail t ON t.id = p.id AND p.fence > 0 "
    "LEFT JOIN checkpoint c ON c.id = p.id AND p.fence > 0 ORDER BY p.run_at, p.id";

enum Column {
    kTid,
    kLane,
    kRunAt,
    kId,
    kAttempts,
    kFence,
    kCreatedAt,
    kExpiresAt,
    kMaxAttempts,
    kTimeout,
    kKey,
    kTrace,
    kSource,
    kTags,
    kInput,
    kFirstStartedAt,
    kSnoozes,
    kOrphanings,
    kCheckpoint
};

/// The first due rows of one lane behind a place, those excepted that others have locked.
const std::string kOneLane = kSelect +
                             "SELECT ctid AS tid, lane, run_at, id, attempts, fence FROM pending "
                             "WHERE lane = ?1 AND (run_at, id) > (?2, ?3) AND run_at <= ?4 "
                             "ORDER BY run_at, id LIMIT ?5 FOR UPDATE SKIP LOCKED" +
                             kJoin;

/// The same for several lanes, merged. They are locked only when it is known which are the first,
/// so that no row is locked in vain; one that somebody else has locked comes without a tid.
const std::string kManyLanes =
    kSelect +
    "SELECT first.lane, first.run_at, first.id, own.tid, own.attempts, own.fence "
    "FROM (SELECT q.lane, q.run_at, q.id FROM unnest(?1::bigint[]) AS l(lane) CROSS JOIN LATERAL "
    "(SELECT lane, run_at, id FROM pending WHERE lane = l.lane AND (run_at, id) > (?2, ?3) "
    "AND run_at <= ?4 ORDER BY run_at, id LIMIT ?5) q ORDER BY q.run_at, q.id LIMIT ?5) first "
    "LEFT JOIN LATERAL (SELECT ctid AS tid, attempts, fence FROM pending w "
    "WHERE w.lane = first.lane AND w.run_at = first.run_at AND w.id = first.id "
    "FOR UPDATE SKIP LOCKED) own ON true" +
    kJoin;

/// The first row of each lane, due or not.
constexpr std::string_view kHeads =
    "SELECT l.lane, h.run_at FROM unnest(?1::bigint[], ?2::bigint[], ?3::bigint[]) "
    "AS l(lane, run_at, id) CROSS JOIN LATERAL (SELECT run_at FROM pending p "
    "WHERE p.lane = l.lane AND (p.run_at, p.id) > (l.run_at, l.id) "
    "ORDER BY p.run_at, p.id LIMIT 1) h";
constexpr std::string_view kFirstLater =
    "SELECT min(h.run_at) FROM unnest(?1::bigint[]) AS l(lane) CROSS JOIN LATERAL "
    "(SELECT run_at FROM pending p WHERE p.lane = l.lane AND p.run_at > ?2 "
    "ORDER BY p.run_at LIMIT 1) h";

constexpr std::string_view kMove =
    "WITH gone AS (DELETE FROM pending WHERE ctid = ANY(?1::text::tid[])) "
    "INSERT INTO running (id, lane, run_at, attempts, max_attempts, fence, node, claimed_at) "
    "SELECT id, lane, run_at, attempts, max_attempts, fence, ?8, ?9 "
    "FROM unnest(?2::bigint[], ?3::bigint[], ?4::bigint[], ?5::bigint[], ?6::bigint[], "
    "?7::bigint[]) AS u(id, lane, run_at, attempts, max_attempts, fence) "
    "ON CONFLICT (id) DO NOTHING";

ClaimedJob read_claimed(const Query& row) {
    ClaimedJob job;
    job.created_at = row.time(kCreatedAt);
    job.run_at = row.time(kRunAt);
    job.expires_at = row.optional_time(kExpiresAt);
    job.max_attempts_requested = sql::bounded(row.optional_integer(kMaxAttempts));
    if (const auto timeout = row.optional_integer(kTimeout)) {
        job.timeout_requested = Duration(*timeout);
    }
    job.idempotency_key = row.optional_text(kKey);
    job.traceparent = row.optional_text(kTrace);
    job.source = row.text(kSource);
    if (!row.is_null(kTags)) job.tags = sql::split_lines(row.view(kTags));
    job.input = row.text(kInput);
    job.first_started_at = row.optional_time(kFirstStartedAt);
    job.snoozes = sql::bounded(row.integer(kSnoozes));
    job.orphanings = sql::bounded(row.integer(kOrphanings));
    job.checkpoint = row.optional_text(kCheckpoint);
    return job;
}

}  // namespace

struct Claimer::Taking {
    std::string tids = "{";
    Array ids = Array::of_integers();
    Array lanes = Array::of_integers();
    Array run_ats = Array::of_integers();
    Array attempts = Array::of_integers();
    Array max_attempts = Array::of_integers();
    Array fences = Array::of_integers();

    void add(const ClaimedJob& job, Lane lane, std::string_view tid) {
        if (tids.size() > 1) tids += ',';
        tids.append("\"").append(tid).append("\"");
        ids.add(job.lease.job);
        lanes.add(lane);
        run_ats.add(job.run_at);
        attempts.add(std::int64_t{job.attempt});
        max_attempts.add(std::int64_t{job.max_attempts});
        fences.add(job.lease.fence);
    }
};

struct Claimer::Call {
    Call(NodeId of, TimePoint at, Exchanged& into) : node(of), now(at), exchanged(into) {}

    const NodeId node;
    const TimePoint now;
    Exchanged& exchanged;
    Taking taking = {};
    std::map<Lane, bool> heads = {};  // lanes that have rows: whether the first is due
    std::vector<Lane> emptied = {};   // lanes whose due rows were all seen
    std::size_t queue = 0;            // index in the plan
    int free = 0;                     // still wanted
    int prefetch = 0;                 // still wanted beyond that
    int last_attempts = 0;            // rows that may not be prefetched
    bool stopped = false;             // nothing more for this queue
    std::vector<JobId> expired = {};

    bool wants_more() const { return !stopped && (free > 0 || prefetch > 0); }
    void due_later(TimePoint time) {
        auto& next = exchanged.next_due;
        if (!next || time < *next) next = time;
    }
};

void Claimer::rolled_back() {
    plan_.forget_numbers();
    starts_.clear();
}

void Claimer::claim(NodeId node, std::string_view service, std::span<const Demand> demands,
                    TimePoint now, Exchanged& exchanged) {
    plan_.prepare(session_, service);
    Call call(node, now, exchanged);
    find_due_lanes(call, demands);
    for (const Demand& demand : demands) {
        if (demand.queue < plan_.queues().size()) claim_queue(call, demand);
    }
    if (!exchanged.claimed.empty()) move_rows(call);
    find_next_due(call);
    sql::end_expired(session_, call.expired, now);
}

void Claimer::find_due_lanes(Call& call, std::span<const Demand> demands) {
    const SteadyPoint steady = std::chrono::steady_clock::now();
    if (steady >= starts_forgotten_at_) {
        starts_.clear();
        starts_forgotten_at_ = steady + kForgetStartsAfter;
    }
    Array lanes = Array::of_integers();
    Array times = Array::of_integers();
    Array ids = Array::of_integers();
    for (const Demand& demand : demands) {
        if (demand.queue >= plan_.queues().size()) continue;
        const sql::ClaimPlan::Queue& queue = plan_.queues()[demand.queue];
        if (queue.paused || demand.free + demand.prefetch <= 0) continue;
        for (int priority = 0; priority <= static_cast<int>(Priority::kLow); ++priority) {
            for (const sql::ClaimPlan::Type& type : queue.types) {
                if (type.paused) continue;
                const Lane lane = sql::lane_of(queue.id, static_cast<Priority>(priority), type.id);
                const Place start = start_of(lane);
                lanes.add(lane);
                times.add(start.run_at);
                ids.add(start.id);
            }
        }
    }
    if (lanes.size() == 0) return;
    BulkQuery row = session_.bulk(kHeads);
    row.bind_all(lanes, times, ids);
    while (row.step()) {
        const bool due = row.time(1) <= call.now;
        call.heads[row.integer(0)] = due;
        if (!due) call.due_later(row.time(1));
    }
}

void Claimer::claim_queue(Call& call, const Demand& demand) {
    const sql::ClaimPlan::Queue& queue = plan_.queues()[demand.queue];
    if (queue.paused || demand.free + demand.prefetch <= 0) return;
    call.queue = demand.queue;
    call.free = std::max(demand.free, 0);
    call.prefetch = std::max(demand.prefetch, 0);
    call.last_attempts = 0;
    call.stopped = false;
    for (const Priority priority :
         {Priority::kCritical, Priority::kHigh, Priority::kNormal, Priority::kLow}) {
        if (!call.wants_more()) break;
        std::vector<OwnLane> lanes;
        for (const sql::ClaimPlan::Type& type : queue.types) {
            const Lane lane = sql::lane_of(queue.id, priority, type.id);
            const auto head = call.heads.find(lane);
            if (head != call.heads.end() && head->second) lanes.push_back({lane, &type});
        }
        if (!lanes.empty()) claim_lanes(call, lanes);
    }
    if (call.free == 0 && call.prefetch == 0) call.exchanged.claimed_all_wanted = true;
}

Claimer::Place Claimer::start_of(Lane lane) const {
    const auto known = starts_.find(lane);
    return known != starts_.end() ? known->second : Place{kBeforeAll, 0};
}

void Claimer::remember_place(Lane lane, bool filled, const Place& last) {
    if (filled) {
        starts_[lane] = {last.run_at, -1};  // others of the same time come back there
    } else {
        starts_.erase(lane);
    }
}

void Claimer::claim_lanes(Call& call, const std::vector<OwnLane>& lanes) {
    const bool merged = lanes.size() > 1;
    Array many = Array::of_integers();
    for (const OwnLane& own : lanes) many.add(own.lane);
    Place place = merged ? Place{kBeforeAll, 0} : start_of(lanes.front().lane);
    bool place_is_known = place.run_at != kBeforeAll;

    std::set<JobId> seen;  // what is taken waits in its table until the end of the claim
    for (int round = 0; call.wants_more() && round < kMostRounds; ++round) {
        const std::int64_t limit = std::min<std::int64_t>(std::int64_t{call.free} + call.prefetch,
                                                          merged ? kMostAtOnceMerged : kMostAtOnce);
        std::int64_t count = 0;
        BulkQuery row = session_.bulk(merged ? kManyLanes : kOneLane);
        if (merged) {
            row.bind(1, many);
        } else {
            row.bind(1, lanes.front().lane);
        }
        row.bind(2, place.run_at).bind(3, place.id).bind(4, call.now).bind(5, limit);
        while (row.step()) {
            ++count;
            place = {row.integer(kRunAt), row.integer(kId)};
            if (!call.wants_more() || row.is_null(kTid)) continue;
            if (!seen.insert(place.id).second) continue;
            if (row.is_null(kCreatedAt)) {
                report_broken(call, place.id, "waits but has no row in the table `job`");
                continue;
            }
            const Lane lane = row.integer(kLane);
            const auto own = std::ranges::find(lanes, lane, &OwnLane::lane);
            ClaimedJob job = read_claimed(row);
            const bool is_prefetch = call.free == 0;
            const ClaimVerdict verdict = sql::judge_claim(
                job, row.integer(kAttempts), own->type->max_attempts, is_prefetch, call.now);
            if (verdict == ClaimVerdict::kExpired) {
                call.expired.push_back(place.id);
                call.stopped = call.expired.size() >= sql::kMostExpired;
                continue;
            }
            if (verdict == ClaimVerdict::kLastAttempt) {
                call.stopped = ++call.last_attempts >= sql::kMostLastAttempts;
                continue;
            }
            --(is_prefetch ? call.prefetch : call.free);
            job.lease = {.job = place.id,
                         .node = call.node,
                         .fence = row.integer(kFence) + 1,
                         .token = lane};
            job.queue = call.queue;
            job.type = own->type->index;
            job.priority = sql::priority_of(lane);
            job.claimed_at = call.now;
            session_.counts().move(lane, JobState::kEnqueued, JobState::kProcessing);
            call.taking.add(job, lane, row.view(kTid));
            call.exchanged.claimed.push_back(std::move(job));
        }
        if (!merged) {
            remember_place(lanes.front().lane, count == limit && count >= kManyJobs, place);
        }
        if (count == limit) continue;
        // A job may have come in front of the place that was remembered.
        if (std::exchange(place_is_known, false) && call.wants_more()) {
            place = {kBeforeAll, 0};
            continue;
        }
        for (const OwnLane& own : lanes) call.emptied.push_back(own.lane);
        return;
    }
}

void Claimer::move_rows(Call& call) {
    Taking& taking = call.taking;
    taking.tids += '}';
    const int moved =
        session_.bulk(kMove)
            .bind_all(taking.tids, taking.ids, taking.lanes, taking.run_ats, taking.attempts,
                      taking.max_attempts, taking.fences, call.node, call.now)
            .run();
    if (moved != static_cast<int>(call.exchanged.claimed.size())) drop_doubly_placed(call);
}

/// A job that waited and ran at the same time does not wait any more; it is not claimed.
void Claimer::drop_doubly_placed(Call& call) {
    std::vector<ClaimedJob>& claimed = call.exchanged.claimed;
    std::set<JobId> ours;
    {
        BulkQuery row = session_.bulk(
            "SELECT id FROM running WHERE id = ANY(?1::bigint[]) AND node = ?2 AND claimed_at = "
            "?3");
        row.bind_all(call.taking.ids, call.node, call.now);
        while (row.step()) ours.insert(row.integer(0));
    }
    std::erase_if(claimed, [&](const ClaimedJob& job) {
        if (ours.contains(job.lease.job)) return false;
        session_.counts().move(job.lease.token, JobState::kProcessing, std::nullopt);
        report_broken(call, job.lease.job, "waits and runs at the same time");
        return true;
    });
}

/// Behind what was due and is claimed now.
void Claimer::find_next_due(Call& call) {
    if (call.emptied.empty()) return;
    Array lanes = Array::of_integers();
    for (const Lane lane : call.emptied) lanes.add(lane);
    BulkQuery row = session_.bulk(kFirstLater);
    row.bind_all(lanes, call.now);
    if (row.step() && !row.is_null(0)) call.due_later(row.time(0));
}

void Claimer::report_broken(Call& call, JobId id, const char* what) {
    if (told_.size() >= kMostTold || !told_.insert(id).second) return;
    call.exchanged.broken.push_back("job " + std::to_string(id) + " is skipped: it " + what);
}

}  // namespace jobhost::postgres
