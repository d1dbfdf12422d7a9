#include "storage/postgres/postgres_store.h"

namespace jobhost::postgres {
namespace {

constexpr std::int64_t kHour = 3'600'000'000;  // microseconds
constexpr std::int64_t kMinute = 60'000'000;
constexpr std::int64_t kRowsAtOnce = 1000;

/// The counts of server processes that have ended go into the slot that belongs to nobody. A number
/// that was given to another process meanwhile is only left for later.
constexpr std::string_view kFoldTallies =
    "WITH gone AS (DELETE FROM tally WHERE (type_lane, slot) IN (SELECT type_lane, slot FROM tally "
    "WHERE slot <> 0 AND slot NOT IN (SELECT pid FROM pg_stat_activity WHERE pid IS NOT NULL) "
    "LIMIT ?1) RETURNING *) "
    "INSERT INTO tally (type_lane, slot, waiting, processing, succeeded, failed, expired, "
    "cancelled) SELECT type_lane, 0, sum(waiting), sum(processing), sum(succeeded), sum(failed), "
    "sum(expired), sum(cancelled) FROM gone GROUP BY type_lane ORDER BY type_lane "
    "ON CONFLICT (type_lane, slot) DO UPDATE SET waiting = tally.waiting + excluded.waiting, "
    "processing = tally.processing + excluded.processing, "
    "succeeded = tally.succeeded + excluded.succeeded, failed = tally.failed + excluded.failed, "
    "expired = tally.expired + excluded.expired, cancelled = tally.cancelled + excluded.cancelled";
constexpr std::string_view kFoldStats =
    "WITH gone AS (DELETE FROM stat WHERE (minute, queue, slot) IN (SELECT minute, queue, slot "
    "FROM stat WHERE slot <> 0 AND minute < ?2 LIMIT ?1) RETURNING *) "
    "INSERT INTO stat (minute, queue, slot, enqueued, succeeded, failed, retried) "
    "SELECT minute, queue, 0, sum(enqueued), sum(succeeded), sum(failed), sum(retried) FROM gone "
    "GROUP BY minute, queue ORDER BY minute, queue ON CONFLICT (minute, queue, slot) "
    "DO UPDATE SET enqueued = stat.enqueued + excluded.enqueued, "
    "succeeded = stat.succeeded + excluded.succeeded, failed = stat.failed + excluded.failed, "
    "retried = stat.retried + excluded.retried";

/// Remembers how far the ids are now: jobs that are made in later hours have this one or a greater
/// one, and what ended in earlier hours has a smaller one. Others may have ids already that they
/// commit later: those were made now.
constexpr std::string_view kTick =
    "INSERT INTO tick (hour, first_id) SELECT ?1, last_value + is_called::int FROM job_id ON "
    "CONFLICT DO NOTHING";

}  // namespace

PurgeCount PostgresStore::purge(const RetentionTimes& keep, int batch) {
    session_.transact(Durability::kFast, [&] {
        const std::int64_t now = session_.now().time_since_epoch().count();
        session_.query(kTick).bind_all(now / kHour).run();
        session_.query(kFoldTallies).bind_all(kRowsAtOnce).run();
        session_.query(kFoldStats).bind_all(kRowsAtOnce, now / kMinute - 2).run();
    });
    return SqlStore::purge(keep, batch);
}

}  // namespace jobhost::postgres
