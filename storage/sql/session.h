#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "storage/sql/counts.h"
#include "storage/sql/names.h"
#include "storage/sql/statement.h"

namespace jobhost::sql {

/// Whether a commit waits for the disk. Outcomes and everything that people do are kDurable; a
/// claim, a beat or a note need only survive the process.
enum class Durability { kDurable, kFast };

/// One connection of an engine, with what hangs on it: its prepared statements, the names that it
/// knows and the counts of the running transaction. Used by one thread at a time, in the process
/// that opened it.
class Session {
public:
    Session();
    virtual ~Session() = default;
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// A statement from the cache: for SQL of a fixed text, with the marks of dialect.h. The same
    /// text may not be in use twice at a time.
    Query query(std::string_view sql) { return Query(statement(sql)); }

    /// The same, for a Query that lives longer than one scope; valid as long as the session, and
    /// in one transaction.
    virtual Statement& statement(std::string_view sql) = 0;

    /// The store's time; inside a transaction, always the same.
    virtual TimePoint now() = 0;

    /// Jobs that were made in this hour (since the epoch) or later have at least this id; nullopt:
    /// there are none.
    virtual std::optional<JobId> first_id_since(std::int64_t hour) = 0;

    Names& names() { return names_; }
    Counts& counts() { return counts_; }

    /// Listeners of all processes are woken after the commit.
    void announce_after_commit() { announce_ = true; }

    /// Runs `body` in one write transaction, alone in effect: what it read is still so when it
    /// commits, else it is run again from the start. An exception rolls everything back, names and
    /// counts included. Returns what body returns.
    template <class Body>
    std::invoke_result_t<Body&> transact(Durability durability, Body&& body);

    /// Runs `body` in one read transaction: all its queries see the same state.
    template <class Body>
    std::invoke_result_t<Body&> read(Body&& body);

    /// Throws kMisused in a child process: a connection does not survive a fork.
    void check_process() const;
    bool is_own_process() const;

protected:
    friend class Transaction;

    virtual void begin(Durability durability) = 0;
    virtual void commit() = 0;
    virtual void roll_back() noexcept = 0;
    virtual void begin_read() = 0;
    virtual void end_read() noexcept = 0;

    /// For roll_back() and the end of commit().
    bool take_announcement();
    void forget_changes();

private:
    static constexpr int kMostTries = 20;

    const int process_;
    Names names_{*this};
    Counts counts_;
    bool announce_ = false;
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
    for (int tries = 1;; ++tries) {
        try {
            Transaction transaction(*this, durability);
            if constexpr (std::is_void_v<std::invoke_result_t<Body&>>) {
                body();
                transaction.commit();
                return;
            } else {
                auto result = body();
                transaction.commit();
                return result;
            }
        } catch (const Collision&) {
            if (tries == kMostTries) throw;
        }
    }
}

template <class Body>
std::invoke_result_t<Body&> Session::read(Body&& body) {
    check_process();
    struct Ended {
        Session& session;
        ~Ended() { session.end_read(); }
    } ended{*this};
    begin_read();
    return body();
}

}  // namespace jobhost::sql
