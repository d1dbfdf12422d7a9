#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "storage/postgres/announcer.h"
#include "storage/postgres/connection.h"
#include "storage/postgres/statement.h"
#include "storage/sql/session.h"

namespace jobhost::postgres {

using sql::Durability;
using sql::Query;

/// What all sessions of one store share.
struct SessionShared {
    ConnectionOptions connection = {};
    bool synchronous = true;       // false: kDurable is like kFast
    const Clock* clock = nullptr;  // for waiting; and the store's time, when `clock_is_time`
    bool clock_is_time = false;    // tests move the time by hand; else it is the server's
    Announcer* announcer = nullptr;
};

/// One connection to the server, made at the first use and again after it was lost.
///
/// Transactions of transact() are serializable: what they read is still so when they commit, else
/// they are run again. Those of `ReadCommitted` are for the hot path, which guards each row that it
/// changes: they never collide, and pass over rows that others have in their hands.
class Session final : public sql::Session {
public:
    explicit Session(const SessionShared& shared) : shared_(shared) {}
    ~Session() override;

    sql::Statement& statement(std::string_view sql) override;
    /// As query(), for texts of this engine.
    BulkQuery bulk(std::string_view sql) { return BulkQuery(own_statement(sql)); }

    /// In a transaction the server's time at its begin; else as it goes on from what the server
    /// said last.
    TimePoint now() override;

    std::optional<JobId> first_id_since(std::int64_t hour) override;

    /// For Statement. `prepared_in`: the connection that knows the statement.
    Result execute(const std::string& name, const std::string& sql,
                   std::span<const Parameter> parameters, int& prepared_in);

    /// Makes the connection when there is none.
    Connection& connection();

private:
    friend class ReadCommitted;
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept {
            return std::hash<std::string_view>{}(text);
        }
    };

    Statement& own_statement(std::string_view sql);

    void begin(Durability durability) override;
    void commit() override;
    void roll_back() noexcept override;
    void begin_read() override;
    void end_read() noexcept override;

    void begin_with(const std::string& sql);
    std::string begin_text(std::string_view mode, Durability durability) const;
    void store_counts();
    bool has_connection() const { return connection_ && !connection_->is_lost(); }

    const SessionShared& shared_;
    std::optional<Connection> connection_;
    int number_ = 0;  // of the connection, from 1
    std::unordered_map<std::string, Statement, Hash, std::equal_to<>> statements_;
    std::optional<TimePoint> time_;  // of the transaction
    std::optional<std::pair<TimePoint, SteadyPoint>> known_time_;
};

/// A write transaction of the hot path; rolled back at the end of the scope unless it was
/// committed.
class ReadCommitted {
public:
    ReadCommitted(Session& session, Durability durability);
    ~ReadCommitted();
    ReadCommitted(const ReadCommitted&) = delete;
    ReadCommitted& operator=(const ReadCommitted&) = delete;

    void commit();

private:
    Session& session_;
    bool open_ = true;
};

}  // namespace jobhost::postgres
