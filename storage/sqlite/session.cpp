#include "storage/sqlite/session.h"

#include <sqlite3.h>
#include <unistd.h>

#include "storage/check.h"
#include "storage/sql/dialect.h"

namespace jobhost::sqlite {
namespace {

constexpr int kCheckpointPages = 2000;        // inside the gate, on an old SQLite
constexpr int kEarlyCheckpointPages = 1000;   // outside the gate, on a new one
constexpr int kForcedCheckpointPages = 4000;  // inside the gate, on a new one
constexpr int kSynchronousNormal = 1;
constexpr int kSynchronousFull = 2;

/// How long closing may wait for the gate. Without it the log is left to the next one who opens.
constexpr Duration kCloseTimeout = std::chrono::seconds(2);

constexpr const char* kSetUp =
    "PRAGMA journal_mode = WAL;"
    "PRAGMA synchronous = NORMAL;"
    "PRAGMA journal_size_limit = 67108864;"
    "PRAGMA wal_autocheckpoint = 0;"  // see Session::checkpoint
    "PRAGMA secure_delete = OFF;"
    "PRAGMA temp_store = MEMORY;"
    "PRAGMA cache_size = -2048;"
    "PRAGMA mmap_size = 0;"  // an I/O error would be a SIGBUS
    "PRAGMA trusted_schema = OFF";

constexpr sql::Dialect kDialect{.list_begin = "(SELECT value FROM json_each(",
                                .list_end = "))",
                                .bytes_begin = "length(CAST(",
                                .bytes_end = " AS BLOB))",
                                // Of a blob it reads the row's header only.
                                .size_begin = "length(",
                                .size_end = ")",
                                .by = "INDEXED BY "};

int remember_wal_pages(void* pages, sqlite3*, const char*, int count) {
    *static_cast<int*>(pages) = count;
    return SQLITE_OK;
}

}  // namespace

Session::Session(const SessionOptions& options, const Clock& clock, bool create)
    : options_(options),
      clock_(clock),
      database_(options.path, options.lock_timeout, create),
      gate_(options.path) {
    gate_.lock(options_.lock_timeout);
    try {
        database_.exec(kSetUp);
    } catch (...) {
        gate_.unlock();
        throw;
    }
    gate_.unlock();
    synchronous_ = kSynchronousNormal;
    sqlite3_wal_hook(database_.handle(), remember_wal_pages, &wal_pages_);
}

Session::~Session() {
    if (!is_own_process()) {
        database_.abandon();
        return;
    }
    // The last one who closes writes the log back into the file: a checkpoint, so inside the gate.
    statements_.clear();
    try {
        gate_.lock(kCloseTimeout);
    } catch (const StorageError&) {
        database_.keep_log_on_close();
    }
    database_.close();
    if (gate_.is_locked()) gate_.unlock();
}

sql::Statement& Session::statement(std::string_view sql) {
    auto found = statements_.find(sql);
    if (found == statements_.end()) {
        const std::string text = sql::in_dialect(sql, kDialect);
        found = statements_.try_emplace(std::string(sql), database_, text).first;
    }
    return found->second;
}

void Session::check_file() const {
    if (!database_.has_moved()) return;
    if (::access(database_.path().c_str(), F_OK) != 0) {
        throw StorageError(StorageError::Kind::kUnavailable,
                           database_.path() +
                               ": the file was deleted or moved away while it was in use; put the "
                               "same file back, or stop, restore it, and start again");
    }
    throw StorageError(StorageError::Kind::kCorrupt,
                       database_.path() +
                           ": the file was replaced by another one while it was in use; start "
                           "again");
}

std::optional<JobId> Session::first_id_since(std::int64_t hour) {
    // Whatever the clock did.
    Query row = query("SELECT min(first_id) FROM tick WHERE hour >= ?");
    if (!row.bind(1, hour).step()) return std::nullopt;
    return row.optional_integer(0);
}

void Session::set_synchronous(Durability durability) {
    const bool full = durability == Durability::kDurable && options_.synchronous_full;
    const int wanted = full ? kSynchronousFull : kSynchronousNormal;
    if (wanted == synchronous_) return;
    synchronous_ = -1;
    query(full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL").run();
    synchronous_ = wanted;
}

void Session::begin(Durability durability) {
    check_process();
    JOBHOST_CHECK(!database_.in_transaction());
    gate_.lock(options_.lock_timeout);
    try {
        check_file();  // else it would be stored where nobody ever looks
        set_synchronous(durability);
        query("BEGIN IMMEDIATE").run();
    } catch (...) {
        gate_.unlock();
        throw;
    }
}

void Session::commit() {
    store_counts();
    database_.commit();
    names().committed();
    const bool safe = checkpoints_are_safe();
    if (wal_pages_ >= (safe ? kForcedCheckpointPages : kCheckpointPages)) checkpoint();
    if (take_announcement()) gate_.announce();
    gate_.unlock();
    if (safe && wal_pages_ >= kEarlyCheckpointPages) checkpoint();
}

void Session::roll_back() noexcept {
    // SQLite has already rolled back after some errors.
    if (database_.in_transaction()) {
        sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
    forget_changes();
    if (gate_.is_locked()) gate_.unlock();
}

void Session::begin_read() {
    database_.exec("BEGIN");
}

void Session::end_read() noexcept {
    if (!database_.in_transaction()) return;
    sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Session::store_counts() {
    for (const sql::Counts::TallyRow& row : counts().tallies()) {
        if (row.is_nothing()) continue;
        const auto& change = row.change;
        query(
            "INSERT INTO tally (type_lane, waiting, processing, succeeded, failed, expired, "
            "cancelled) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (type_lane) DO UPDATE SET "
            "waiting = waiting + excluded.waiting, "
            "processing = processing + excluded.processing, "
            "succeeded = succeeded + excluded.succeeded, "
            "failed = failed + excluded.failed, expired = expired + excluded.expired, "
            "cancelled = cancelled + excluded.cancelled")
            .bind_all(row.type_lane, change[0], change[1], change[2], change[3], change[4],
                      change[5])
            .run();
    }
    const std::int64_t minute = now().time_since_epoch().count() / 60'000'000;
    for (const sql::Counts::StatRow& row : counts().stats()) {
        query(
            "INSERT INTO stat (minute, queue, enqueued, succeeded, failed, retried) "
            "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (minute, queue) DO UPDATE SET "
            "enqueued = enqueued + excluded.enqueued, "
            "succeeded = succeeded + excluded.succeeded, "
            "failed = failed + excluded.failed, retried = retried + excluded.retried")
            .bind_all(minute, row.queue, row.enqueued, row.succeeded, row.failed, row.retried)
            .run();
    }
    counts().clear();
}

void Session::checkpoint() noexcept {
    // A failure leaves the pages in the log: nothing is lost, and the next commit tries again.
    sqlite3_wal_checkpoint_v2(database_.handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr,
                              nullptr);
    wal_pages_ = 0;
}

void Session::use_large_cache() {
    if (large_cache_) return;
    query("PRAGMA cache_size = -32768").run();
    large_cache_ = true;
}

void Session::release_memory() {
    if (!large_cache_) return;
    query("PRAGMA cache_size = -2048").run();
    sqlite3_db_release_memory(database_.handle());
    large_cache_ = false;
}

}  // namespace jobhost::sqlite
