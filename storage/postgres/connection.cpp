#include "storage/postgres/connection.h"

#include <algorithm>
#include <charconv>
#include <libpq-fe.h>
#include <limits>
#include <poll.h>

#include "storage/check.h"
#include "storage/postgres/errors.h"

namespace jobhost::postgres {
namespace {

/// Used where the url says nothing else. A peer that vanished is noticed within 30 seconds, whether
/// something is on its way to it or not.
constexpr std::pair<const char*, const char*> kDefaults[] = {
    {"application_name", "jobhost"}, {"connect_timeout", "10"},    {"keepalives", "1"},
    {"keepalives_idle", "10"},       {"keepalives_interval", "5"}, {"keepalives_count", "3"},
    {"tcp_user_timeout", "25000"},
};

struct FreeOptions {
    void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};

void ignore_notice(void*, const PGresult*) {}

PGconn* connect(const std::string& url) {
    char* mistake = nullptr;
    const std::unique_ptr<PQconninfoOption, FreeOptions> parsed(
        PQconninfoParse(url.c_str(), &mistake));
    // libpq's sentence would repeat a part of the url, and with it the password.
    PQfreemem(mistake);
    if (!parsed) {
        throw StorageError(StorageError::Kind::kMisused,
                           "the storage url is not one that PostgreSQL understands; it looks like "
                           "postgresql://user@host:5432/database");
    }
    std::vector<const char*> names;
    std::vector<const char*> values;
    for (const PQconninfoOption* option = parsed.get(); option->keyword != nullptr; ++option) {
        if (option->val == nullptr) continue;
        names.push_back(option->keyword);
        values.push_back(option->val);
    }
    for (const auto& [name, value] : kDefaults) {
        const bool is_set = std::ranges::any_of(
            names, [&](const char* set) { return std::string_view(set) == name; });
        if (is_set) continue;
        names.push_back(name);
        values.push_back(value);
    }
    names.push_back("client_encoding");
    values.push_back("UTF8");
    names.push_back(nullptr);
    values.push_back(nullptr);
    return PQconnectdbParams(names.data(), values.data(), 0);
}

/// The parameters as libpq takes them.
struct Arrays {
    explicit Arrays(std::span<const Parameter> parameters) {
        for (const Parameter& one : parameters) {
            types.push_back(one.type);
            values.push_back(one.data);
            lengths.push_back(static_cast<int>(
                std::min<std::size_t>(one.bytes, std::numeric_limits<int>::max())));
            formats.push_back(1);
        }
    }
    int count() const { return static_cast<int>(values.size()); }
    std::vector<Oid> types;
    std::vector<const char*> values;
    std::vector<int> lengths;
    std::vector<int> formats;
};

std::string microseconds_as_ms(Duration duration) {
    const auto count = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
    return std::to_string(std::clamp<std::int64_t>(count, 1, 86'400'000));
}

}  // namespace

std::string quoted_name(std::string_view name) {
    std::string quoted = "\"";
    for (const char c : name) {
        if (c == '"') quoted += c;
        quoted += c;
    }
    return quoted + '"';
}

std::string session_settings(const ConnectionOptions& options, bool local) {
    const std::string set = local ? "SET LOCAL " : "SET ";
    std::string text;
    for (const std::string& setting : {
             "search_path = " + quoted_name(options.schema),
             // Compiling a statement takes longer than running it, from a million rows on.
             std::string("jit = off"),
             // The plans must not depend on when the tables were analysed last: always the index.
             std::string("plan_cache_mode = force_generic_plan"),
             std::string("enable_seqscan = off"),
             std::string("enable_bitmapscan = off"),
             std::string("enable_hashjoin = off"),
             std::string("enable_mergejoin = off"),
             // A claim, say, need only survive the process; what must survive more says so.
             std::string("synchronous_commit = off"),
             "lock_timeout = " + microseconds_as_ms(options.lock_timeout),
             "statement_timeout = " + microseconds_as_ms(options.lock_timeout * 2),
             std::string("idle_in_transaction_session_timeout = 60000"),
         }) {
        text += set + setting + ";";
    }
    return text;
}

void Result::Clear::operator()(pg_result* result) const noexcept {
    PQclear(result);
}

int Result::rows() const {
    return PQntuples(result_.get());
}

int Result::columns() const {
    return PQnfields(result_.get());
}

int Result::changed() const {
    const std::string_view text = PQcmdTuples(result_.get());
    int count = 0;
    std::from_chars(text.data(), text.data() + text.size(), count);
    return count;
}

bool Result::is_null(int row, int column) const {
    return PQgetisnull(result_.get(), row, column) == 1;
}

std::int64_t Result::integer(int row, int column) const {
    const std::string_view text = view(row, column);
    if (text == "t") return 1;
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

std::string_view Result::view(int row, int column) const {
    return {PQgetvalue(result_.get(), row, column),
            static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

void Connection::Finish::operator()(pg_conn* handle) const noexcept {
    PQfinish(handle);
}

Connection::Connection(const ConnectionOptions& options) : handle_(connect(options.url)) {
    if (handle_ == nullptr) {
        throw StorageError(StorageError::Kind::kUnavailable, "PostgreSQL: out of memory");
    }
    if (PQstatus(handle_.get()) != CONNECTION_OK) throw_connection_error(handle_.get());
    PQsetNoticeReceiver(handle_.get(), ignore_notice, nullptr);
    if (!options.pooled) exec(session_settings(options, false));
}

Result Connection::checked(pg_result* result, std::string_view doing) {
    Result owned(result);
    switch (PQresultStatus(result)) {
        case PGRES_COMMAND_OK:
        case PGRES_TUPLES_OK:
        case PGRES_EMPTY_QUERY: return owned;
        default: throw_error(handle_.get(), result, doing);
    }
}

Result Connection::exec(const char* sql) {
    return checked(PQexec(handle_.get(), sql), sql);
}

void Connection::commit(const std::string& and_then) {
    const std::string sql = and_then.empty() ? "COMMIT" : "COMMIT;" + and_then;
    if (PQsendQuery(handle_.get(), sql.c_str()) != 1) throw_unknown_outcome(handle_.get());
    const Result committed(PQgetResult(handle_.get()));
    const auto status = PQresultStatus(committed.handle());
    const bool done =
        status == PGRES_COMMAND_OK && std::string_view(PQcmdStatus(committed.handle())) == "COMMIT";
    drain();
    if (done) return;
    if (is_lost() || !committed) throw_unknown_outcome(handle_.get());
    if (status == PGRES_COMMAND_OK) {
        throw StorageError(
            StorageError::Kind::kMisused,
            "PostgreSQL rolled the transaction back: an error in it was passed over");
    }
    throw_error(handle_.get(), committed.handle(), "COMMIT");
}

void Connection::drain() {
    for (;;) {
        const Result rest(PQgetResult(handle_.get()));
        if (!rest) return;
    }
}

void Connection::prepare(const std::string& name, const std::string& sql,
                         std::span<const Parameter> parameters) {
    const Arrays arrays(parameters);
    checked(
        PQprepare(handle_.get(), name.c_str(), sql.c_str(), arrays.count(), arrays.types.data()),
        sql);
}

Result Connection::exec_prepared(const std::string& name, std::span<const Parameter> parameters) {
    const Arrays arrays(parameters);
    return checked(PQexecPrepared(handle_.get(), name.c_str(), arrays.count(), arrays.values.data(),
                                  arrays.lengths.data(), arrays.formats.data(), 0),
                   name);
}

Result Connection::exec_once(const std::string& sql, std::span<const Parameter> parameters) {
    const Arrays arrays(parameters);
    return checked(
        PQexecParams(handle_.get(), sql.c_str(), arrays.count(), arrays.types.data(),
                     arrays.values.data(), arrays.lengths.data(), arrays.formats.data(), 0),
        sql);
}

bool Connection::is_lost() const {
    return PQstatus(handle_.get()) != CONNECTION_OK;
}

bool Connection::in_transaction() const {
    return PQtransactionStatus(handle_.get()) != PQTRANS_IDLE;
}

bool Connection::wait_readable(Duration at_most) {
    pollfd socket{.fd = PQsocket(handle_.get()), .events = POLLIN, .revents = 0};
    if (socket.fd < 0) throw_connection_error(handle_.get());
    const auto count = std::chrono::ceil<std::chrono::milliseconds>(at_most).count();
    return poll(&socket, 1, static_cast<int>(std::clamp<std::int64_t>(count, 0, 86'400'000))) > 0;
}

int Connection::take_notifications() {
    if (PQconsumeInput(handle_.get()) != 1) throw_connection_error(handle_.get());
    int count = 0;
    while (PGnotify* notify = PQnotifies(handle_.get())) {
        ++count;
        PQfreemem(notify);
    }
    return count;
}

void Connection::send_ping() {
    if (PQsendQuery(handle_.get(), "SELECT 1") != 1) throw_connection_error(handle_.get());
}

bool Connection::ping_answered() {
    if (PQconsumeInput(handle_.get()) != 1) throw_connection_error(handle_.get());
    if (PQisBusy(handle_.get()) == 1) return false;
    drain();
    if (is_lost()) throw_connection_error(handle_.get());
    return true;
}

int Connection::server_version() const {
    return PQserverVersion(handle_.get());
}

std::string Connection::place() const {
    const auto text = [](const char* value) { return std::string(value != nullptr ? value : ""); };
    return "database " + text(PQdb(handle_.get())) + " at " + text(PQhost(handle_.get())) + ":" +
           text(PQport(handle_.get()));
}

}  // namespace jobhost::postgres
