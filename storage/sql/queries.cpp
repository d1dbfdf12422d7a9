#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "storage/sql/pending_walk.h"
#include "storage/sql/read_job.h"
#include "storage/sql/sql_store.h"
#include "storage/sql/walk_sql.h"

namespace jobhost::sql {
namespace {

constexpr int kMaxPage = 1000;
constexpr std::int64_t kMaxStatRows = 200'000;
constexpr std::int64_t kMinute = 60'000'000;  // microseconds

constexpr std::string_view kTally =
    "SELECT type_lane, sum(waiting), sum(processing), sum(succeeded), sum(failed), sum(expired), "
    "sum(cancelled) FROM tally GROUP BY type_lane ORDER BY type_lane";
constexpr std::string_view kStats =
    "SELECT minute, queue, sum(enqueued), sum(succeeded), sum(failed), sum(retried) FROM stat "
    "WHERE minute >= ?1 GROUP BY minute, queue ORDER BY minute, queue LIMIT ?2";
constexpr std::string_view kPauses =
    "SELECT kind, name, service, at, by FROM pause ORDER BY kind, name, service";

void count_due(Session& session, Lane lane, std::int64_t now, std::int64_t cap, DueCount& count) {
    if (count.due < cap) {
        Query due = session.query(kCountDue);
        due.bind_all(lane, now, cap - count.due);
        if (due.step()) count.due += due.integer(0);
    }
    const auto earlier = [](std::optional<TimePoint>& kept, TimePoint seen) {
        if (!kept || seen < *kept) kept = seen;
    };
    Query first = session.query(kFirstFrom);
    if (first.bind_all(lane, std::numeric_limits<std::int64_t>::min()).step() &&
        first.integer(0) <= now) {
        earlier(count.oldest_run_at, first.time(0));
    }
    first.reset();
    if (first.bind_all(lane, now).step()) earlier(count.next_run_at, first.time(0));
}

DeadLetterState dead_letter_state(std::int64_t number) {
    constexpr auto kLast = static_cast<std::int64_t>(DeadLetterState::kTimedOut);
    return number >= 0 && number <= kLast ? static_cast<DeadLetterState>(number)
                                          : DeadLetterState::kInterrupted;
}

DeadLetter read_dead_letter(Session& session, const Query& row) {
    return {.run = row.integer(0),
            .job = row.integer(1),
            .type = shown_name(session, row.integer(2)),
            .kind = row.integer(3) == static_cast<std::int64_t>(DeadLetterKind::kForwarder)
                        ? DeadLetterKind::kForwarder
                        : DeadLetterKind::kHandler,
            .name = row.text(4),
            .state = dead_letter_state(row.integer(5)),
            .node = row.integer(6),
            .tries = static_cast<int>(row.integer(7)),
            .created_at = row.time(8),
            .started_at = row.optional_time(9),
            .finished_at = row.optional_time(10),
            .error = row.text(11)};
}

}  // namespace

std::optional<Job> SqlStore::find_job(JobId id) {
    return session_.read([&] { return read_job(session_, id, Detail::kWhole); });
}

std::vector<TypeCounts> SqlStore::type_counts() {
    std::vector<TypeCounts> counts = session_.read([&] {
        std::vector<TypeCounts> found;
        Query row = session_.query(kTally);
        while (row.step()) {
            const std::int64_t type_lane = row.integer(0);
            TypeCounts one{.queue = shown_name(session_, type_lane >> 32),
                           .type = shown_name(session_, type_lane & kMaxTypeId),
                           .waiting = row.integer(1),
                           .processing = row.integer(2),
                           .succeeded = row.integer(3),
                           .failed = row.integer(4),
                           .expired = row.integer(5),
                           .cancelled = row.integer(6)};
            const bool used = one.waiting != 0 || one.processing != 0 || one.succeeded != 0 ||
                              one.failed != 0 || one.expired != 0 || one.cancelled != 0;
            if (used) found.push_back(std::move(one));
        }
        return found;
    });
    std::ranges::sort(counts, [](const TypeCounts& a, const TypeCounts& b) {
        return std::tie(a.queue, a.type) < std::tie(b.queue, b.type);
    });
    return counts;
}

std::vector<DueCount> SqlStore::due_counts(std::int64_t cap) {
    // No transaction around the walk: many lanes take their time, and a snapshot that stays open
    // keeps the log file from being used anew.
    const std::int64_t now = this->now().time_since_epoch().count();
    std::map<std::pair<std::string, std::string>, DueCount> counts;
    std::optional<Lane> next = next_lane(session_, -1);
    for (; next; next = next_lane(session_, *next)) {
        const Lane lane = *next;
        std::string queue = shown_name(session_, queue_of(lane));
        std::string type = shown_name(session_, type_of(lane));
        DueCount& count = counts[{queue, type}];
        count.queue = std::move(queue);
        count.type = std::move(type);
        count_due(session_, lane, now, cap, count);
    }
    std::vector<DueCount> found;
    for (auto& [name, count] : counts) found.push_back(std::move(count));
    return found;
}

std::vector<MinuteStat> SqlStore::minute_stats(TimePoint since) {
    return session_.read([&] {
        std::vector<MinuteStat> stats;
        Query row = session_.query(kStats);
        row.bind_all(since.time_since_epoch().count() / kMinute, kMaxStatRows);
        while (row.step()) {
            stats.push_back({.minute = TimePoint(Duration(row.integer(0) * kMinute)),
                             .queue = shown_name(session_, row.integer(1)),
                             .enqueued = row.integer(2),
                             .succeeded = row.integer(3),
                             .failed = row.integer(4),
                             .retried = row.integer(5)});
        }
        return stats;
    });
}

std::vector<Pause> SqlStore::pauses() {
    std::vector<Pause> pauses;
    Query row = session_.query(kPauses);
    while (row.step()) {
        pauses.push_back({.kind = row.integer(0) == static_cast<std::int64_t>(Pause::Kind::kType)
                                      ? Pause::Kind::kType
                                      : Pause::Kind::kQueue,
                          .name = row.text(1),
                          .service = row.text(2),
                          .at = row.time(3),
                          .by = row.text(4)});
    }
    return pauses;
}

std::vector<DeadLetter> SqlStore::dead_letters(JobId job, std::optional<DeadLetterState> state,
                                               int limit, std::int64_t after) {
    const bool open = state == DeadLetterState::kOwed || state == DeadLetterState::kStarted;
    const std::string_view sql = job != 0 ? kDeadLettersOfJob
                                 : open   ? kOpenDeadLetters
                                          : kDeadLetters;
    const std::int64_t below = after == 0 ? std::numeric_limits<std::int64_t>::max() : after;
    std::optional<std::int64_t> wanted;
    if (state) wanted = static_cast<std::int64_t>(*state);
    return session_.read([&] {
        std::vector<DeadLetter> runs;
        Query row = session_.query(sql);
        row.bind_all(below, wanted, std::clamp(limit, 1, kMaxPage));
        if (job != 0) row.bind(4, job);
        while (row.step()) runs.push_back(read_dead_letter(session_, row));
        return runs;
    });
}

std::int64_t SqlStore::open_dead_letters(const std::vector<std::string>& types) {
    return session_.read([&] {
        std::int64_t count = 0;
        Query row = session_.query(kOpenDeadLettersByType);
        while (row.step()) {
            const std::string* type = session_.names().text_of(row.integer(0));
            if (type != nullptr && std::ranges::find(types, *type) != types.end()) {
                count += row.integer(1);
            }
        }
        return count;
    });
}

}  // namespace jobhost::sql
