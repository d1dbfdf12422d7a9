#include "storage/postgres/session.h"

#include <algorithm>

#include "storage/check.h"
#include "storage/sql/dialect.h"

namespace jobhost::postgres {
namespace {

constexpr sql::Dialect kDialect{
    .list_begin = "(SELECT value::bigint FROM json_array_elements_text(",
    .list_end = "::json))",
    .bytes_begin = "octet_length(",
    .bytes_end = ")",
    .size_begin = "octet_length(",
    .size_end = ")",
    .lock = "FOR UPDATE"};

/// How long what the server said about the time is good for.
constexpr auto kTimeIsKnown = std::chrono::minutes(1);

constexpr const char* kTime = "SELECT (extract(epoch FROM now()) * 1000000)::bigint";

}  // namespace

Session::~Session() {
    if (!is_own_process() && connection_) connection_->abandon();
}

Connection& Session::connection() {
    check_process();
    if (!has_connection()) {
        connection_.reset();
        connection_.emplace(shared_.connection);
        ++number_;
    }
    return *connection_;
}

Statement& Session::own_statement(std::string_view sql) {
    auto found = statements_.find(sql);
    if (found == statements_.end()) {
        const std::string text = sql::in_dialect(sql, kDialect);
        const std::string name = "s" + std::to_string(statements_.size());
        found = statements_.try_emplace(std::string(sql), *this, text, name).first;
    }
    return found->second;
}

sql::Statement& Session::statement(std::string_view sql) {
    return own_statement(sql);
}

Result Session::execute(const std::string& name, const std::string& sql,
                        std::span<const Parameter> parameters, int& prepared_in) {
    const bool in_transaction = has_connection() && connection_->in_transaction();
    if (!shared_.connection.pooled) {
        Connection& server = in_transaction ? *connection_ : connection();
        if (prepared_in != number_) {
            server.prepare(name, sql, parameters);
            prepared_in = number_;
        }
        return server.exec_prepared(name, parameters);
    }
    if (in_transaction) return connection_->exec_once(sql, parameters);
    return read([&] { return connection_->exec_once(sql, parameters); });
}

TimePoint Session::now() {
    if (shared_.clock_is_time) return shared_.clock->now();
    if (time_) return *time_;
    const SteadyPoint steady = shared_.clock->steady_now();
    if (!known_time_ || steady - known_time_->second > kTimeIsKnown) {
        const Result row = connection().exec(kTime);
        known_time_ = {TimePoint(Duration(row.integer(0, 0))), steady};
    }
    return known_time_->first + std::chrono::duration_cast<Duration>(steady - known_time_->second);
}

std::optional<JobId> Session::first_id_since(std::int64_t hour) {
    // What was known in an earlier hour: see upkeep.cpp.
    Query row = query("SELECT coalesce(max(first_id), 0) FROM tick WHERE hour < ?");
    row.bind(1, hour).step();
    return row.integer(0);
}

std::string Session::begin_text(std::string_view mode, Durability durability) const {
    std::string text = "BEGIN ISOLATION LEVEL ";
    text.append(mode).append(";");
    if (shared_.connection.pooled) text += session_settings(shared_.connection, true);
    if (durability == Durability::kDurable && shared_.synchronous) {
        text += "SET LOCAL synchronous_commit = on;";
    }
    return text;
}

void Session::begin_with(const std::string& sql) {
    const bool is_new = !has_connection();
    JOBHOST_CHECK(is_new || !connection_->in_transaction());
    Result row;
    try {
        row = connection().exec(sql + kTime);
    } catch (const StorageError&) {
        // One that the server closed while nobody looked (a restart, say) shows it only now, and
        // nothing has happened yet.
        if (is_new || !connection_ || !connection_->is_lost()) {
            if (connection_ && !connection_->is_lost()) roll_back();
            throw;
        }
        row = connection().exec(sql + kTime);
    }
    time_ = TimePoint(Duration(row.integer(0, 0)));
    known_time_ = {*time_, shared_.clock->steady_now()};
}

void Session::begin(Durability durability) {
    begin_with(begin_text("SERIALIZABLE", durability));
}

void Session::begin_read() {
    begin_with(begin_text("REPEATABLE READ READ ONLY", Durability::kFast));
}

void Session::commit() {
    store_counts();
    const bool announce = take_announcement();
    const std::string news = announce ? shared_.announcer->text_if_due() : std::string();
    connection_->commit(news);
    if (announce && news.empty()) shared_.announcer->announce_later();
    names().committed();
    time_.reset();
}

void Session::roll_back() noexcept {
    forget_changes();
    end_read();
}

void Session::end_read() noexcept {
    time_.reset();
    if (!has_connection() || !connection_->in_transaction()) return;
    try {
        connection_->exec("ROLLBACK");
    } catch (const StorageError&) {
        connection_.reset();  // the server rolls back with the connection's end
    }
}

void Session::store_counts() {
    sql::Counts& counts = this->counts();
    std::vector<sql::Counts::TallyRow> tallies = counts.tallies();
    std::erase_if(tallies, [](const auto& row) { return row.is_nothing(); });
    if (!tallies.empty()) {
        // Always in the same order, so that two transactions never wait for each other.
        std::ranges::sort(tallies, {}, &sql::Counts::TallyRow::type_lane);
        Array lanes = Array::of_integers();
        std::vector<Array> columns(sql::Counts::kColumns, Array::of_integers());
        for (const auto& row : tallies) {
            lanes.add(row.type_lane);
            for (std::size_t i = 0; i < columns.size(); ++i) columns[i].add(row.change[i]);
        }
        BulkQuery insert = bulk(
            "INSERT INTO tally (type_lane, slot, waiting, processing, succeeded, failed, expired, "
            "cancelled) SELECT l, pg_backend_pid(), a, b, c, d, e, f "
            "FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], "
            "?::bigint[], ?::bigint[]) AS u(l, a, b, c, d, e, f) "
            "ON CONFLICT (type_lane, slot) DO UPDATE SET waiting = tally.waiting + "
            "excluded.waiting, "
            "processing = tally.processing + excluded.processing, "
            "succeeded = tally.succeeded + excluded.succeeded, "
            "failed = tally.failed + excluded.failed, expired = tally.expired + excluded.expired, "
            "cancelled = tally.cancelled + excluded.cancelled");
        insert.bind(1, lanes);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            insert.bind(static_cast<int>(i) + 2, columns[i]);
        }
        insert.run();
    }
    const std::int64_t minute = now().time_since_epoch().count() / 60'000'000;
    std::vector<sql::Counts::StatRow> stats = counts.stats();
    std::ranges::sort(stats, {}, &sql::Counts::StatRow::queue);
    for (const auto& row : stats) {
        query(
            "INSERT INTO stat (minute, queue, slot, enqueued, succeeded, failed, retried) "
            "VALUES (?, ?, pg_backend_pid(), ?, ?, ?, ?) ON CONFLICT (minute, queue, slot) "
            "DO UPDATE SET enqueued = stat.enqueued + excluded.enqueued, "
            "succeeded = stat.succeeded + excluded.succeeded, "
            "failed = stat.failed + excluded.failed, retried = stat.retried + excluded.retried")
            .bind_all(minute, row.queue, row.enqueued, row.succeeded, row.failed, row.retried)
            .run();
    }
    counts.clear();
}

ReadCommitted::ReadCommitted(Session& session, Durability durability) : session_(session) {
    session_.begin_with(session_.begin_text("READ COMMITTED", durability));
}

ReadCommitted::~ReadCommitted() {
    if (open_) session_.roll_back();
}

void ReadCommitted::commit() {
    session_.commit();  // when it throws, the destructor cleans up
    open_ = false;
}

}  // namespace jobhost::postgres
