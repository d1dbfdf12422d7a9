#include "tests/torture/sql_way.h"

#include "storage/postgres/connection.h"
#include "storage/storage_error.h"

namespace jobhost::torture {
namespace {

void add_time(std::string& sql, const char* name, std::optional<std::chrono::microseconds> time) {
    if (!time) return;
    sql += std::string(", ") + name + " => '" + std::to_string(time->count()) + " microseconds'";
}

/// Inputs and keys of the torture hold no quotes of SQL.
std::string call_of(const client::NewJob& job, const std::string& schema) {
    const client::Options& options = job.options;
    std::string sql =
        "SELECT id, duplicate FROM " + schema + ".enqueue('" + job.type + "', '" + job.input + "'";
    add_time(sql, "delay", options.delay);
    add_time(sql, "deadline", options.deadline_after);
    add_time(sql, "timeout", options.timeout);
    if (options.max_attempts) {
        sql += ", max_attempts => " + std::to_string(*options.max_attempts);
    }
    if (options.idempotency_key) {
        sql += ", idempotency_key => '" + *options.idempotency_key + "'";
        if (options.on_duplicate == client::OnDuplicate::kRejectAlways) {
            sql += ", on_duplicate => 'reject_always'";
        }
    }
    return sql + ")";
}

}  // namespace

SqlWay::SqlWay(std::string url, std::string schema)
    : url_(std::move(url)), schema_(std::move(schema)) {}

SqlWay::~SqlWay() = default;

client::Enqueued SqlWay::call(const client::NewJob& job) {
    const postgres::Result row = connection_->exec(call_of(job, schema_));
    return {.id = row.integer(0, 0), .duplicate = row.view(0, 1) == "t"};
}

std::optional<client::Enqueued> SqlWay::enqueue(const client::NewJob& job) {
    try {
        if (!connection_) {
            connection_ = std::make_unique<postgres::Connection>(
                postgres::ConnectionOptions{.url = url_, .schema = schema_});
        }
        return call(job);
    } catch (const StorageError&) {
        if (connection_ && connection_->is_lost()) connection_.reset();
        return std::nullopt;
    }
}

std::optional<std::int64_t> SqlWay::enqueue_in_vain(const client::NewJob& job) {
    std::optional<std::int64_t> id;
    try {
        if (!connection_) return std::nullopt;
        connection_->exec("BEGIN");
        const client::Enqueued made = call(job);
        if (!made.duplicate) id = made.id;
    } catch (const StorageError&) {  // whatever it was: nothing is committed
    }
    try {
        if (connection_) connection_->exec("ROLLBACK");
    } catch (const StorageError&) {
        connection_.reset();
    }
    return id;
}

}  // namespace jobhost::torture
