#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "storage/sql/session.h"
#include "storage/sqlite/database.h"
#include "storage/sqlite/gate.h"

namespace jobhost::sqlite {

using sql::Durability;
using sql::Transaction;

struct SessionOptions {
    std::string path = {};
    bool synchronous_full = true;  // false: kDurable is like kFast
    Duration lock_timeout = std::chrono::seconds(15);
};

/// One connection to the file. A write transaction holds the gate: BEGIN IMMEDIATE inside it, so
/// that there is one writer at a time and no collision.
class Session final : public sql::Session {
public:
    Session(const SessionOptions& options, const Clock& clock, bool create = false);
    ~Session() override;

    sql::Statement& statement(std::string_view sql) override;
    TimePoint now() override { return clock_.now(); }

    std::optional<JobId> first_id_since(std::int64_t hour) override;

    Database& database() { return database_; }
    Gate& gate() { return gate_; }

    /// Throws kCorrupt when the file was deleted or replaced under us.
    void check_file() const;

    /// For a session that works on many rows at a time; others stay small.
    void use_large_cache();
    void release_memory();

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept {
            return std::hash<std::string_view>{}(text);
        }
    };

    void begin(Durability durability) override;
    void commit() override;
    void roll_back() noexcept override;
    void begin_read() override;
    void end_read() noexcept override;

    void store_counts();
    void checkpoint() noexcept;
    void set_synchronous(Durability durability);

    const SessionOptions options_;
    const Clock& clock_;
    Database database_;
    Gate gate_;
    std::unordered_map<std::string, Statement, Hash, std::equal_to<>> statements_;
    bool large_cache_ = false;
    int synchronous_ = -1;
    int wal_pages_ = 0;  // after the last commit
};

}  // namespace jobhost::sqlite
