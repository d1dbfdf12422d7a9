#include "storage/measure/postgres_bare_queue.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "storage/postgres/array.h"
#include "storage/postgres/connection.h"

namespace jobhost::postgres {
namespace {

/// The storage parameters are those of the store's tables: vacuum is a part of the engine's cost.
constexpr const char* kTables =
    "CREATE TABLE job (id bigint PRIMARY KEY, lane bigint NOT NULL, created_at bigint NOT NULL,"
    " run_at bigint NOT NULL, source text NOT NULL, input text NOT NULL);"
    "CREATE TABLE pending (lane bigint NOT NULL, run_at bigint NOT NULL, id bigint NOT NULL,"
    " attempts bigint NOT NULL, fence bigint NOT NULL, PRIMARY KEY (lane, run_at, id))"
    " WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,"
    " autovacuum_vacuum_cost_delay = 0);"
    "CREATE TABLE running (id bigint PRIMARY KEY, lane bigint NOT NULL, run_at bigint NOT NULL,"
    " attempts bigint NOT NULL, max_attempts bigint NOT NULL, fence bigint NOT NULL,"
    " node bigint NOT NULL, claimed_at bigint NOT NULL)"
    " WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,"
    " autovacuum_vacuum_cost_delay = 0);"
    "CREATE TABLE done (id bigint PRIMARY KEY, state bigint NOT NULL, attempts bigint NOT NULL,"
    " max_attempts bigint, fence bigint NOT NULL, node bigint NOT NULL, started_at bigint,"
    " finished_at bigint NOT NULL);";

constexpr const char* kJobs =
    "INSERT INTO job SELECT id, 1, 1700000000000000, 1700000000000000, 'bench', input "
    "FROM unnest($1::bigint[], $2::text[]) AS u(id, input)";
constexpr const char* kPending =
    "INSERT INTO pending SELECT 1, 1700000000000000, id, 0, 0 FROM unnest($1::bigint[]) AS u(id)";
/// $1: behind this id, so that nobody walks over the rows that are gone.
constexpr const char* kTake =
    "WITH first AS MATERIALIZED (SELECT ctid AS tid, id, run_at FROM pending WHERE lane = 1 "
    "AND (run_at, id) > (1700000000000000, $1::bigint) ORDER BY run_at, id LIMIT $2::bigint "
    "FOR UPDATE SKIP LOCKED), "
    "gone AS (DELETE FROM pending WHERE ctid = ANY (ARRAY(SELECT tid FROM first))), "
    "started AS (INSERT INTO running SELECT id, 1, run_at, 1, 10, 1, 1, 1700000000000000 "
    "FROM first) "
    "SELECT first.id, job.input FROM first JOIN job ON job.id = first.id";
constexpr const char* kEnd =
    "WITH own AS (DELETE FROM running r USING unnest($1::bigint[]) AS u(id) "
    "WHERE r.id = u.id AND r.fence = 1 RETURNING r.id) "
    "INSERT INTO done SELECT id, 4, 1, 10, 1, 1, 1700000000000000, 1700000000000000 FROM own";

/// A number as the protocol takes it.
class Number {
public:
    explicit Number(std::int64_t value) {
        for (std::size_t i = 0; i < bytes_.size(); ++i) {
            bytes_[i] = static_cast<char>(value >> (56 - 8 * i));
        }
    }
    Parameter parameter() const {
        return {.type = kBigint, .data = bytes_.data(), .bytes = bytes_.size()};
    }

private:
    std::array<char, 8> bytes_ = {};
};

Parameter parameter(const Array& array) {
    const std::string_view bytes = array.bytes();
    return {.type = array.type(), .data = bytes.data(), .bytes = bytes.size()};
}

class PostgresBareQueue final : public BareQueue {
public:
    explicit PostgresBareQueue(const StoreOptions& place)
        : options_{.url = place.url, .schema = place.schema, .pooled = !place.listen},
          full_(place.synchronous_full),
          server_(options_) {
        begin(true);
        server_.exec("CREATE SCHEMA " + quoted_name(options_.schema));
        server_.exec("SET LOCAL search_path = " + quoted_name(options_.schema));
        server_.exec(kTables);
        server_.commit({});
    }

    void enqueue(int count, std::string_view input) override {
        Array ids = Array::of_integers();
        Array inputs = Array::of_texts();
        for (int i = 0; i < count; ++i) {
            ids.add(++last_id_);
            inputs.add(input);
        }
        begin(true);
        run("job", kJobs, std::array{parameter(ids), parameter(inputs)});
        run("pending", kPending, std::array{parameter(ids)});
        server_.commit({});
    }

    int exchange(int most) override {
        begin(!taken_.empty());
        end_taken();
        const Number behind(last_taken_);
        const Number limit(most);
        const Result rows = run("take", kTake, std::array{behind.parameter(), limit.parameter()});
        server_.commit({});
        for (int row = 0; row < rows.rows(); ++row) {
            taken_.push_back(rows.integer(row, 0));
            last_taken_ = std::max(last_taken_, taken_.back());
        }
        return rows.rows();
    }

private:
    void begin(bool durable) {
        std::string sql = "BEGIN;";
        if (options_.pooled) sql += session_settings(options_, true);
        if (durable && full_) sql += "SET LOCAL synchronous_commit = on";
        server_.exec(sql);
    }

    void end_taken() {
        if (taken_.empty()) return;
        Array ids = Array::of_integers();
        for (const std::int64_t id : taken_) ids.add(id);
        run("end", kEnd, std::array{parameter(ids)});
        taken_.clear();
    }

    Result run(const std::string& name, const char* sql, std::span<const Parameter> parameters) {
        if (options_.pooled) return server_.exec_once(sql, parameters);
        if (prepared_.insert(name).second) server_.prepare(name, sql, parameters);
        return server_.exec_prepared(name, parameters);
    }

    const ConnectionOptions options_;
    const bool full_;
    Connection server_;
    std::set<std::string> prepared_;
    std::int64_t last_id_ = 0;
    std::int64_t last_taken_ = 0;
    std::vector<std::int64_t> taken_;
};

}  // namespace

std::unique_ptr<BareQueue> open_bare_queue(const StoreOptions& place) {
    return std::make_unique<PostgresBareQueue>(place);
}

}  // namespace jobhost::postgres
