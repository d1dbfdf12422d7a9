#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "storage/clock.h"
#include "storage/sql/statement.h"
#include "storage/storage_error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace jobhost::sqlite {

using sql::Query;

/// One connection. Used by one thread at a time. Errors throw StorageError with the class that
/// storage_error.h names, or sql::RowError.
class Database {
public:
    /// `path` is taken as it is, never as a URI. Waits up to `busy_timeout` for foreign locks.
    Database(const std::string& path, Duration busy_timeout, bool create);

    void exec(const char* sql);

    /// COMMIT; an I/O error in it throws kUnknownOutcome.
    void commit();

    bool in_transaction() const;

    /// True when the file was deleted, or replaced by another one, since it was opened.
    bool has_moved() const;

    /// Before the end: what the last connection would write back into the file stays in the log.
    void keep_log_on_close() noexcept;
    void close() noexcept { handle_.reset(); }

    /// Forgets the connection without touching the file: for a child process.
    void abandon() noexcept { handle_.release(); }

    sqlite3* handle() const { return handle_.get(); }
    const std::string& path() const { return path_; }

private:
    struct Close {
        void operator()(sqlite3* handle) const noexcept;
    };
    std::string path_;
    std::unique_ptr<sqlite3, Close> handle_;
};

/// A prepared statement of one connection.
class Statement final : public sql::Statement {
public:
    Statement(const Database& database, std::string_view sql);

    void bind_integer(int index, std::int64_t value) override;
    void bind_text(int index, std::string_view text) override;
    void bind_blob(int index, std::string_view bytes) override;
    void bind_null(int index) override;
    bool step() override;
    int run() override;
    void rewind() noexcept override;
    void clear() noexcept override;
    bool is_null(int column) const override;
    std::int64_t integer(int column) const override;
    std::string_view view(int column) const override;

private:
    struct Finalize {
        void operator()(sqlite3_stmt* handle) const noexcept;
    };
    void check(int code) const;

    const Database& database_;
    std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

/// Library version and whether its checkpoints may run beside writers (the WAL-reset bug of SQLite
/// before 3.51.3, fixed also in 3.44.6 and 3.50.7).
std::string library_version();
bool checkpoints_are_safe(int version_number);
bool checkpoints_are_safe();

}  // namespace jobhost::sqlite
