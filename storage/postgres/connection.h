#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/clock.h"
#include "storage/storage_error.h"

struct pg_conn;
struct pg_result;

namespace jobhost::postgres {

/// How to reach the store. The url may hold a password: it is never shown.
struct ConnectionOptions {
    std::string url = {};  // as libpq takes it
    std::string schema = "jobhost";
    /// Behind a pooler that gives each transaction another server process: nothing may be kept in
    /// it, so no prepared statement and no setting that outlives a transaction.
    bool pooled = false;
    Duration lock_timeout = std::chrono::seconds(15);
};

/// A name as SQL writes it.
std::string quoted_name(std::string_view name);

/// One parameter as the protocol takes it, not copied.
struct Parameter {
    unsigned type = 0;  // OID; 0: as the statement needs it
    const char* data = nullptr;
    std::size_t bytes = 0;
    bool is_null() const { return data == nullptr; }
};

inline constexpr unsigned kBigint = 20;
inline constexpr unsigned kText = 25;

/// What a statement answered: its rows, and how many it changed.
class Result {
public:
    Result() = default;
    explicit Result(pg_result* result) : result_(result) {}

    explicit operator bool() const { return result_ != nullptr; }
    int rows() const;
    int columns() const;
    int changed() const;
    bool is_null(int row, int column) const;
    std::int64_t integer(int row, int column) const;  // 0 for NULL; false and true are 0 and 1
    std::string_view view(int row, int column) const;
    pg_result* handle() const { return result_.get(); }

private:
    struct Clear {
        void operator()(pg_result* result) const noexcept;
    };
    std::unique_ptr<pg_result, Clear> result_;
};

/// One connection. Used by one thread at a time. Errors throw StorageError with the class that
/// storage_error.h names, sql::RowError or sql::Collision; a lost connection is kUnavailable, and
/// the object is of no use any more.
class Connection {
public:
    explicit Connection(const ConnectionOptions& options);

    /// One or more statements without parameters; the answer of the last one.
    Result exec(const char* sql);
    Result exec(const std::string& sql) { return exec(sql.c_str()); }

    /// COMMIT, and with it what must follow it (may be empty) in the same round trip. A connection
    /// that is lost meanwhile throws kUnknownOutcome. What follows is not worth an error.
    void commit(const std::string& and_then);

    void prepare(const std::string& name, const std::string& sql,
                 std::span<const Parameter> parameters);
    Result exec_prepared(const std::string& name, std::span<const Parameter> parameters);
    Result exec_once(const std::string& sql, std::span<const Parameter> parameters);

    bool is_lost() const;
    bool in_transaction() const;

    /// Waits until something may have arrived. False when the time is up.
    bool wait_readable(Duration at_most);

    /// The number of notifications that have come since the last call. Throws when the connection
    /// is lost.
    int take_notifications();

    /// Sends a question that needs no answer's content, and takes the answer later: how a listener
    /// finds out that nobody is there any more.
    void send_ping();
    bool ping_answered();

    int server_version() const;
    /// Host and database, for people.
    std::string place() const;

    /// Forgets the connection without a word to the server: for a child process.
    void abandon() noexcept { handle_.release(); }

private:
    struct Finish {
        void operator()(pg_conn* handle) const noexcept;
    };
    Result checked(pg_result* result, std::string_view doing);
    void drain();
    std::unique_ptr<pg_conn, Finish> handle_;
};

/// The settings of a session, with SET before each: `local` for one transaction only.
std::string session_settings(const ConnectionOptions& options, bool local);

}  // namespace jobhost::postgres
