#include "storage/measure/sqlite_bare_queue.h"

#include <string_view>
#include <vector>

#include "storage/sqlite/database.h"

namespace jobhost::sqlite {
namespace {

/// As a session with a store sets itself up, and checkpoints within the commit.
constexpr const char* kSetUp =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768;"
    "PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 2000;"
    "CREATE TABLE job (id INTEGER PRIMARY KEY, lane INTEGER NOT NULL, created_at INTEGER NOT NULL,"
    " run_at INTEGER NOT NULL, source TEXT NOT NULL, input BLOB NOT NULL) STRICT;"
    "CREATE TABLE pending (lane INTEGER NOT NULL, run_at INTEGER NOT NULL, id INTEGER NOT NULL,"
    " attempts INTEGER NOT NULL, fence INTEGER NOT NULL,"
    " PRIMARY KEY (lane, run_at, id)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE running (id INTEGER PRIMARY KEY, lane INTEGER NOT NULL, run_at INTEGER NOT NULL,"
    " attempts INTEGER NOT NULL, max_attempts INTEGER NOT NULL, fence INTEGER NOT NULL,"
    " node INTEGER NOT NULL, claimed_at INTEGER NOT NULL) STRICT;"
    "CREATE TABLE done (id INTEGER PRIMARY KEY, state INTEGER NOT NULL, attempts INTEGER NOT NULL,"
    " max_attempts INTEGER, fence INTEGER NOT NULL, node INTEGER NOT NULL, started_at INTEGER,"
    " finished_at INTEGER NOT NULL) STRICT;";

constexpr std::int64_t kLane = 1;
constexpr std::int64_t kTime = 1'700'000'000'000'000;

class SqliteBareQueue final : public BareQueue {
public:
    SqliteBareQueue(const std::string& path, bool synchronous_full)
        : database_(path, std::chrono::seconds(15), true), full_(synchronous_full) {
        database_.exec(kSetUp);
    }

    void enqueue(int count, std::string_view input) override {
        begin(true);
        Query job(statements().job);
        Query pending(statements().pending);
        for (int i = 0; i < count; ++i) {
            const std::int64_t id = ++last_id_;
            job.bind_all(id, kLane, kTime, kTime, "bench").bind_blob(6, input).run();
            pending.bind_all(kLane, kTime, id).run();
        }
        database_.commit();
    }

    int exchange(int most) override {
        begin(!taken_.empty());
        end_taken();
        take(most);
        database_.commit();
        return static_cast<int>(taken_.size());
    }

private:
    struct Statements {
        explicit Statements(const Database& database)
            : job(database, "INSERT INTO job VALUES (?, ?, ?, ?, ?, ?)"),
              pending(database, "INSERT INTO pending VALUES (?, ?, ?, 0, 0)"),
              first(database, "SELECT id FROM pending WHERE lane = ? ORDER BY run_at, id LIMIT ?"),
              input(database, "SELECT input FROM job WHERE id = ?"),
              remove(database, "DELETE FROM pending WHERE lane = ? AND (run_at, id) <= (?, ?)"),
              start(database, "INSERT INTO running VALUES (?, ?, ?, 1, 10, 1, 1, ?)"),
              stop(database, "DELETE FROM running WHERE id = ? AND fence = 1"),
              done(database, "INSERT INTO done VALUES (?, 4, 1, 10, 1, 1, ?, ?)") {}
        Statement job, pending, first, input, remove, start, stop, done;
    };

    Statements& statements() {
        if (!statements_) statements_ = std::make_unique<Statements>(database_);
        return *statements_;
    }

    void begin(bool durable) {
        database_.exec(durable && full_ ? "PRAGMA synchronous = FULL; BEGIN IMMEDIATE"
                                        : "PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE");
    }

    void end_taken() {
        Query stop(statements().stop);
        Query done(statements().done);
        for (const std::int64_t id : taken_) {
            stop.bind_all(id).run();
            done.bind_all(id, kTime, kTime).run();
        }
        taken_.clear();
        inputs_.clear();
    }

    void take(int most) {
        {
            Query first(statements().first);
            first.bind_all(kLane, most);
            while (first.step()) taken_.push_back(first.integer(0));
        }
        if (taken_.empty()) return;
        Query input(statements().input);
        Query start(statements().start);
        for (const std::int64_t id : taken_) {
            if (input.bind_all(id).step()) inputs_.push_back(input.text(0));
            input.reset();
            start.bind_all(id, kLane, kTime, kTime).run();
        }
        Query(statements().remove).bind_all(kLane, kTime, taken_.back()).run();
    }

    Database database_;
    const bool full_;
    std::unique_ptr<Statements> statements_;
    std::int64_t last_id_ = 0;
    std::vector<std::int64_t> taken_;
    std::vector<std::string> inputs_;
};

}  // namespace

std::unique_ptr<BareQueue> open_bare_queue(const std::string& path, bool synchronous_full) {
    return std::make_unique<SqliteBareQueue>(path, synchronous_full);
}

}  // namespace jobhost::sqlite
