#include "tests/bench/fill.h"

#include <string>

#include "storage/postgres/connection.h"
#include "storage/sqlite/database.h"

namespace jobhost::bench {
namespace {

constexpr std::string_view kSqlite = "sqlite://";

/// Both engines: $RANGE is a table with the ids `i`, $LANE the lane of the jobs, $INPUT a literal.
constexpr const char* kJobs =
    "INSERT INTO job (id, lane, created_at, run_at, source, input) "
    "SELECT i, $LANE, 1700000000000000, 1700000000000000 + i, 'bench', $INPUT FROM $RANGE";
constexpr const char* kFinished =
    "INSERT INTO done (id, state, attempts, max_attempts, fence, node, started_at, finished_at) "
    "SELECT i, 4, 1, 10, 1, 1, 1700000000000000 + i, 1700000000000000 + i FROM $RANGE";
constexpr const char* kWaiting =
    "INSERT INTO pending (lane, run_at, id, attempts, fence) "
    "SELECT $LANE, 1700000000000000 + i, i, 0, 0 FROM $RANGE";

std::string replaced(std::string text, const std::string& mark, const std::string& by) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
        text.replace(at, mark.size(), by);
        at += by.size();
    }
    return text;
}

std::string written(const char* sql, std::int64_t lane, const std::string& input,
                    const std::string& range) {
    std::string text = replaced(sql, "$LANE", std::to_string(lane));
    text = replaced(std::move(text), "$INPUT", input);
    return replaced(std::move(text), "$RANGE", range);
}

void fill_sqlite(const std::string& path, RowsOf what, std::int64_t count) {
    sqlite::Database database(path, std::chrono::minutes(1), false);
    sqlite::Statement lane(database, "SELECT lane FROM job LIMIT 1");
    lane.step();
    const std::int64_t of_noops = lane.integer(0);
    lane.rewind();
    const std::string range =
        "(WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n "
        "WHERE i <= " +
        std::to_string(count) + ") SELECT i FROM n)";
    database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -262144; BEGIN IMMEDIATE");
    for (const char* sql : {kJobs, what == RowsOf::kFinished ? kFinished : kWaiting}) {
        database.exec(
            written(sql, of_noops, "CAST('" + usual_input() + "' AS BLOB)", range).c_str());
    }
    database.exec(
        ("UPDATE seq SET next = " + std::to_string(count + 2) + " WHERE name = 1").c_str());
    database.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
}

void fill_postgres(const StoreOptions& store, RowsOf what, std::int64_t count) {
    postgres::Connection server({.url = store.url, .schema = store.schema});
    server.exec("SET statement_timeout = 0");
    const std::int64_t lane = server.exec("SELECT lane FROM job LIMIT 1").integer(0, 0);
    const std::string range =
        "generate_series(2::bigint, " + std::to_string(count + 1) + ") AS n(i)";
    for (const char* sql : {kJobs, what == RowsOf::kFinished ? kFinished : kWaiting}) {
        server.exec(written(sql, lane, "'" + usual_input() + "'", range));
    }
    server.exec("SELECT setval('job_id', " + std::to_string(count + 2) + ")");
    // So that what is measured afterwards is not the fill's own rest of work.
    server.exec("VACUUM ANALYZE");
}

}  // namespace

void fill(const StoreOptions& store, StoreHandle& handle, RowsOf what, std::int64_t count) {
    // One job by the usual way: it makes the names.
    const NewJob job{.type = kNoop, .input = usual_input(), .source = "bench"};
    enqueue(*handle.open_session(), std::span(&job, 1));
    if (count == 0) return;
    if (store.url.starts_with(kSqlite)) {
        fill_sqlite(store.url.substr(kSqlite.size()), what, count);
    } else {
        fill_postgres(store, what, count);
    }
}

}  // namespace jobhost::bench
