#pragma once

#include <string_view>

struct pg_conn;
struct pg_result;

namespace jobhost::postgres {

/// Throws what a failed statement means: sql::RowError, sql::Collision or StorageError.
[[noreturn]] void throw_error(pg_conn* connection, const pg_result* result, std::string_view doing);

/// The connection could not be made, or is lost.
[[noreturn]] void throw_connection_error(pg_conn* connection);

/// The connection was lost during COMMIT: nobody knows whether it happened.
[[noreturn]] void throw_unknown_outcome(pg_conn* connection);

}  // namespace jobhost::postgres
