#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "storage/clock.h"
#include "storage/storage_error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace jobhost::sqlite {

/// The values of one statement cannot be stored (too big, a constraint): the fault of one item, not
/// of the store.
class RowError : public StorageError {
public:
    explicit RowError(const std::string& what) : StorageError(Kind::kMisused, what) {}
};

/// One connection. Used by one thread at a time. Errors throw StorageError with the class that
/// storage_error.h names, or RowError.
class Database {
public:
    /// `path` is taken as it is, never as a URI. Waits up to `busy_timeout` for foreign locks.
    Database(const std::string& path, Duration busy_timeout, bool create);

    void exec(const char* sql);

    /// COMMIT; an I/O error in it throws kUnknownOutcome.
    void commit();

    std::int64_t last_insert_id() const;
    int changes() const;
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

/// A prepared statement, kept for many uses. See Query.
class Statement {
public:
    Statement(const Database& database, std::string_view sql);

private:
    friend class Query;
    struct Finalize {
        void operator()(sqlite3_stmt* handle) const noexcept;
    };
    std::unique_ptr<sqlite3_stmt, Finalize> handle_;
    bool in_use_ = false;
};

/// One use of a statement: reset, and its bindings cleared, at the end of the scope, so that no
/// snapshot stays open. Parameters count from 1 and columns from 0, as in SQLite.
/// Texts are bound without a copy: they must live until the Query is gone or they are bound anew.
class Query {
public:
    Query(const Database& database, Statement& statement);
    Query(const Database& database, std::unique_ptr<Statement> owned);
    ~Query();
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;

    Query& bind(int index, std::int64_t value);
    template <std::integral Integer>
    Query& bind(int index, Integer value) {
        return bind(index, static_cast<std::int64_t>(value));
    }
    Query& bind(int index, std::string_view text);
    Query& bind(int index, const std::string& text) { return bind(index, std::string_view(text)); }
    Query& bind(int index, const char* text) { return bind(index, std::string_view(text)); }
    Query& bind(int index, std::string&& text) = delete;
    Query& bind(int index, TimePoint time) { return bind(index, time.time_since_epoch().count()); }
    Query& bind(int index, Duration duration) { return bind(index, duration.count()); }
    Query& bind(int index, std::nullptr_t);
    template <class Value>
    Query& bind(int index, const std::optional<Value>& value) {
        return value ? bind(index, *value) : bind(index, nullptr);
    }
    Query& bind_blob(int index, std::string_view bytes);

    /// Binds parameters 1, 2, ... in order.
    template <class... Values>
    Query& bind_all(const Values&... values) {
        int index = 0;
        (bind(++index, values), ...);
        return *this;
    }

    /// True while there is a row.
    bool step();

    /// Runs to the end and resets; the bindings stay, so the next run needs only what differs.
    /// Returns the number of changed rows.
    int run();

    /// Ready for the next step(); the bindings stay.
    void reset();

    bool is_null(int column) const;
    std::int64_t integer(int column) const;
    std::optional<std::int64_t> optional_integer(int column) const;
    std::string_view view(int column) const;  // text or blob; valid until the next step or reset
    std::string text(int column) const { return std::string(view(column)); }
    std::optional<std::string> optional_text(int column) const;
    TimePoint time(int column) const { return TimePoint(Duration(integer(column))); }
    std::optional<TimePoint> optional_time(int column) const;

private:
    const Database& database_;
    std::unique_ptr<Statement> owned_;
    Statement& statement_;
    sqlite3_stmt* handle_;
};

/// Library version and whether its checkpoints may run beside writers (the WAL-reset bug of SQLite
/// before 3.51.3, fixed also in 3.44.6 and 3.50.7).
std::string library_version();
bool checkpoints_are_safe(int version_number);
bool checkpoints_are_safe();

}  // namespace jobhost::sqlite
