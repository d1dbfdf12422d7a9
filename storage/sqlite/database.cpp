#include "storage/sqlite/database.h"

#include <cerrno>
#include <sqlite3.h>
#include <utility>

namespace jobhost::sqlite {
namespace {

bool is_row_error(int code) {
    switch (code & 0xff) {
        case SQLITE_TOOBIG:
        case SQLITE_CONSTRAINT:
        case SQLITE_MISMATCH: return true;
        default: return false;
    }
}

StorageError::Kind kind_of(sqlite3* handle, int code) {
    if (code == SQLITE_READONLY_DBMOVED) return StorageError::Kind::kCorrupt;
    switch (code & 0xff) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED: return StorageError::Kind::kBusy;
        case SQLITE_FULL: return StorageError::Kind::kFull;
        case SQLITE_READONLY:
        case SQLITE_PERM: return StorageError::Kind::kReadOnly;
        case SQLITE_IOERR: {
            // A used-up quota arrives as a plain write error.
            const int number = handle != nullptr ? sqlite3_system_errno(handle) : 0;
            const bool full = code == SQLITE_IOERR_WRITE && (number == EDQUOT || number == ENOSPC);
            return full ? StorageError::Kind::kFull : StorageError::Kind::kUnavailable;
        }
        case SQLITE_CANTOPEN:
        case SQLITE_NOMEM:
        case SQLITE_PROTOCOL:
        case SQLITE_INTERRUPT:
        case SQLITE_AUTH: return StorageError::Kind::kUnavailable;
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB: return StorageError::Kind::kCorrupt;
        default: return StorageError::Kind::kMisused;
    }
}

/// For people: which table it was about says enough, settings of the connection say nothing.
std::string while_doing(std::string_view sql) {
    constexpr std::string_view kSettings = "PRAGMA";
    if (sql.starts_with(kSettings)) return {};
    return " (" + std::string(sql.substr(0, 200)) + ")";
}

[[noreturn]] void throw_error(const Database& database, int code, std::string_view doing) {
    sqlite3* handle = database.handle();
    if (handle != nullptr && sqlite3_extended_errcode(handle) != SQLITE_OK &&
        (sqlite3_extended_errcode(handle) & 0xff) == (code & 0xff)) {
        code = sqlite3_extended_errcode(handle);
    }
    std::string message = database.path() + ": ";
    message += handle != nullptr ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
    message += while_doing(doing);
    if (is_row_error(code)) throw sql::RowError(message);
    throw StorageError(kind_of(handle, code), message);
}

int milliseconds(Duration duration) {
    const auto count = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
    return static_cast<int>(std::min<std::int64_t>(count, 3'600'000));
}

}  // namespace

void Database::Close::operator()(sqlite3* handle) const noexcept {
    sqlite3_close_v2(handle);
}

Database::Database(const std::string& path, Duration busy_timeout, bool create) : path_(path) {
    sqlite3* handle = nullptr;
    const int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (create ? SQLITE_OPEN_CREATE : 0);
    const int code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
    handle_.reset(handle);  // SQLite hands out a handle even on failure
    if (code != SQLITE_OK) throw_error(*this, code, "opening");
    sqlite3_extended_result_codes(handle, 1);
    // Before the first statement: several processes that open together wait for each other there.
    sqlite3_busy_timeout(handle, milliseconds(busy_timeout));
}

void Database::exec(const char* sql) {
    const int code = sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) throw_error(*this, code, sql);
}

void Database::commit() {
    const int code = sqlite3_exec(handle(), "COMMIT", nullptr, nullptr, nullptr);
    if (code == SQLITE_OK) return;
    const bool unknown =
        (code & 0xff) == SQLITE_IOERR && kind_of(handle(), code) != StorageError::Kind::kFull;
    if (!unknown) throw_error(*this, code, "COMMIT");
    throw StorageError(StorageError::Kind::kUnknownOutcome,
                       path_ + ": " + sqlite3_errmsg(handle()) +
                           " during the commit; outcome unknown: repeat with the same "
                           "idempotency key");
}

bool Database::in_transaction() const {
    return sqlite3_get_autocommit(handle()) == 0;
}

bool Database::has_moved() const {
    int moved = 0;
    const int code = sqlite3_file_control(handle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    return code == SQLITE_OK && moved != 0;
}

void Database::keep_log_on_close() noexcept {
    sqlite3_db_config(handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

void Statement::Finalize::operator()(sqlite3_stmt* handle) const noexcept {
    sqlite3_finalize(handle);
}

Statement::Statement(const Database& database, std::string_view sql) : database_(database) {
    sqlite3_stmt* handle = nullptr;
    const int code = sqlite3_prepare_v3(database.handle(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
    if (code != SQLITE_OK) throw_error(database, code, sql);
    handle_.reset(handle);
}

void Statement::check(int code) const {
    if (code != SQLITE_OK) throw_error(database_, code, sqlite3_sql(handle_.get()));
}

void Statement::bind_integer(int index, std::int64_t value) {
    check(sqlite3_bind_int64(handle_.get(), index, value));
}

void Statement::bind_text(int index, std::string_view text) {
    // A null pointer would bind NULL.
    const char* bytes = text.data() != nullptr ? text.data() : "";
    check(
        sqlite3_bind_text64(handle_.get(), index, bytes, text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void Statement::bind_blob(int index, std::string_view bytes) {
    const char* start = bytes.data() != nullptr ? bytes.data() : "";
    check(sqlite3_bind_blob64(handle_.get(), index, start, bytes.size(), SQLITE_STATIC));
}

void Statement::bind_null(int index) {
    check(sqlite3_bind_null(handle_.get(), index));
}

bool Statement::step() {
    const int code = sqlite3_step(handle_.get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    throw_error(database_, code, sqlite3_sql(handle_.get()));
}

int Statement::run() {
    int code = sqlite3_step(handle_.get());
    while (code == SQLITE_ROW) code = sqlite3_step(handle_.get());
    sqlite3_reset(handle_.get());  // a failure's message survives it
    if (code != SQLITE_DONE) throw_error(database_, code, sqlite3_sql(handle_.get()));
    return sqlite3_changes(database_.handle());
}

void Statement::rewind() noexcept {
    sqlite3_reset(handle_.get());
}

void Statement::clear() noexcept {
    sqlite3_reset(handle_.get());
    sqlite3_clear_bindings(handle_.get());
}

bool Statement::is_null(int column) const {
    return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
    return sqlite3_column_int64(handle_.get(), column);
}

std::string_view Statement::view(int column) const {
    const void* bytes = sqlite3_column_blob(handle_.get(), column);
    if (bytes == nullptr) return {};
    return {static_cast<const char*>(bytes),
            static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

std::string library_version() {
    return sqlite3_libversion();
}

bool checkpoints_are_safe(int version) {
    if (version >= 3'051'003) return true;
    if (version >= 3'050'007 && version < 3'051'000) return true;
    return version >= 3'044'006 && version < 3'045'000;
}

bool checkpoints_are_safe() {
    return checkpoints_are_safe(sqlite3_libversion_number());
}

}  // namespace jobhost::sqlite
