#include "storage/postgres/errors.h"

#include <libpq-fe.h>
#include <string>

#include "storage/sql/statement.h"

namespace jobhost::postgres {
namespace {

using Kind = StorageError::Kind;

/// One line, without libpq's line ends.
std::string one_line(const char* message) {
    std::string text = message != nullptr ? message : "";
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    for (char& c : text) {
        if (c == '\n' || c == '\t') c = ' ';
    }
    return text;
}

Kind kind_of(std::string_view state) {
    const std::string_view group = state.substr(0, 2);
    if (state == "55P03" || state == "55006" || state == "57014") return Kind::kBusy;
    if (state == "53100") return Kind::kFull;
    if (state == "25006") return Kind::kReadOnly;
    if (state == "42P01" || state == "3F000" || state == "XX001" || state == "XX002") {
        return Kind::kCorrupt;
    }
    if (group == "08" || group == "53" || group == "57" || group == "58" || group == "28" ||
        state == "3D000" || state == "42501" || state == "25P03") {
        return Kind::kUnavailable;
    }
    return Kind::kMisused;
}

}  // namespace

void throw_connection_error(pg_conn* connection) {
    throw StorageError(Kind::kUnavailable, "PostgreSQL: " + one_line(PQerrorMessage(connection)));
}

void throw_unknown_outcome(pg_conn* connection) {
    throw StorageError(Kind::kUnknownOutcome,
                       "PostgreSQL: " + one_line(PQerrorMessage(connection)) +
                           " during the commit; outcome unknown: repeat with the same "
                           "idempotency key");
}

void throw_error(pg_conn* connection, const pg_result* result, std::string_view doing) {
    const char* code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const std::string_view state = code != nullptr ? code : "";
    if (state.empty()) throw_connection_error(connection);
    const std::string message =
        "PostgreSQL: " + one_line(PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY)) +
        " (SQLSTATE " + std::string(state) + ", " + std::string(doing.substr(0, 200)) + ")";
    if (state == "40001" || state == "40P01") throw sql::Collision(message);
    const std::string_view group = state.substr(0, 2);
    if (group == "22" || group == "23" || group == "54") throw sql::RowError(message);
    throw StorageError(kind_of(state), message);
}

}  // namespace jobhost::postgres
