#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include "storage/sqlite/counts.h"
#include "storage/sqlite/database.h"
#include "storage/sqlite/gate.h"
#include "storage/sqlite/names.h"

namespace jobhost::sqlite {

/// Whether a commit waits for the disk. Outcomes and everything that people do are kDurable; a
/// claim, a beat or a note need only survive the process.
enum class Durability { kDurable, kFast };

struct SessionOptions {
    std::string path = {};
    bool synchronous_full = true;  // false: kDurable is like kFast
    Duration lock_timeout = std::chrono::seconds(15);
};

/// One connection with what hangs on it: its prepared statements, the write gate, the names that it
/// knows and the counts of the running transaction. Used by one thread at a time, in the process
/// that opened it.
class Session {
public:
    Session(const SessionOptions& options, const Clock& clock, bool create = false);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// A statement from the cache: for SQL of a fixed text. The same text may not be in use twice
    /// at a time.
    Query query(std::string_view sql) { return Query(database_, statement(sql)); }

    /// The same, for a Query that lives longer than one scope; valid as long as the session.
    Statement& statement(std::string_view sql);

    /// A statement for this use only: for SQL that was put together.
    Query prepare_once(std::string_view sql);

    /// The store's time.
    TimePoint now() const { return clock_.now(); }

    Names& names() { return names_; }
    Counts& counts() { return counts_; }
    Database& database() { return database_; }
    Gate& gate() { return gate_; }

    /// Listeners of all processes are woken after the commit.
    void announce_after_commit() { announce_ = true; }

    /// Runs `body` in one write transaction: gate, BEGIN IMMEDIATE, body, counts, COMMIT. An
    /// exception rolls everything back, names and counts included. Returns what body returns.
    template <class Body>
    std::invoke_result_t<Body&> transact(Durability durability, Body&& body);

    /// Runs `body` in one read transaction: all its queries see the same state.
    template <class Body>
    std::invoke_result_t<Body&> read(Body&& body);

    /// Throws kMisused in a child process: a connection does not survive a fork.
    void check_process() const;

    /// Throws kCorrupt when the file was deleted or replaced under us.
    void check_file() const;

    /// For a session that works on many rows at a time; others stay small.
    void use_large_cache();
    void release_memory();

private:
    friend class Transaction;
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept {
            return std::hash<std::string_view>{}(text);
        }
    };

    void begin(Durability durability);
    void commit();
    void roll_back() noexcept;
    void end_read() noexcept;
    void checkpoint() noexcept;
    void set_synchronous(Durability durability);

    const SessionOptions options_;
    const Clock& clock_;
    const int process_;
    Database database_;
    Gate gate_;
    std::unordered_map<std::string, Statement, Hash, std::equal_to<>> statements_;
    Names names_{*this};
    Counts counts_;
    bool announce_ = false;
    bool large_cache_ = false;
    int synchronous_ = -1;
    int wal_pages_ = 0;  // after the last commit
};

/// A write transaction; rolled back at the end of the scope unless it was committed.
class Transaction {
public:
    Transaction(Session& session, Durability durability) : session_(session) {
        session_.begin(durability);
    }
    ~Transaction() {
        if (open_) session_.roll_back();
    }
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    void commit() {
        session_.commit();  // when it throws, the destructor cleans up
        open_ = false;
    }

private:
    Session& session_;
    bool open_ = true;
};

template <class Body>
std::invoke_result_t<Body&> Session::transact(Durability durability, Body&& body) {
    Transaction transaction(*this, durability);
    if constexpr (std::is_void_v<std::invoke_result_t<Body&>>) {
        body();
        transaction.commit();
    } else {
        auto result = body();
        transaction.commit();
        return result;
    }
}

template <class Body>
std::invoke_result_t<Body&> Session::read(Body&& body) {
    check_process();
    struct Ended {
        Session& session;
        ~Ended() { session.end_read(); }
    } ended{*this};
    database_.exec("BEGIN");
    return body();
}

}  // namespace jobhost::sqlite
