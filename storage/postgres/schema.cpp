#include "storage/postgres/schema.h"

#include <array>
#include <jobhost_postgres_migrations.h>
#include <optional>

#include "storage/postgres/announcer.h"

namespace jobhost::postgres {
namespace {

constexpr std::array kMigrations{
    Migration{.to = {1, 0}, .name = "001_initial", .sql = embedded::k_001_initial_sql},
    Migration{.to = {1, 1}, .name = "002_enqueue", .sql = embedded::k_002_enqueue_sql},
};

constexpr int kOldestServer = 130000;

std::string quoted_text(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'') quoted += c;
        quoted += c;
    }
    return quoted + "'";
}

void check_server(Connection& server) {
    if (server.server_version() < kOldestServer) {
        throw StorageError(StorageError::Kind::kUnavailable,
                           "PostgreSQL: the server is older than version 13, which is the oldest "
                           "that jobhost works with");
    }
    const Result encoding = server.exec("SHOW server_encoding");
    if (encoding.view(0, 0) != "UTF8") {
        throw StorageError(StorageError::Kind::kUnavailable,
                           "PostgreSQL: the database has the encoding " +
                               std::string(encoding.view(0, 0)) +
                               "; jobhost needs one with UTF8 (createdb -E UTF8 -T template0)");
    }
}

bool exists(Connection& server, const std::string& question) {
    return server.exec("SELECT EXISTS (" + question + ")").integer(0, 0) != 0;
}

bool has_schema(Connection& server, const std::string& schema) {
    return exists(server, "SELECT 1 FROM pg_namespace WHERE nspname = " + quoted_text(schema));
}

bool has_table(Connection& server, const std::string& schema, const char* table) {
    return exists(server,
                  "SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                  "WHERE n.nspname = " +
                      quoted_text(schema) + " AND c.relname = " + quoted_text(table));
}

/// 0.0: there are no tables.
SchemaVersion read_version(Connection& server, const std::string& schema) {
    if (!has_schema(server, schema)) return {};
    if (!has_table(server, schema, "meta")) {
        if (!has_table(server, schema, "job")) return {};
        throw StorageError(StorageError::Kind::kMisused,
                           "PostgreSQL: the schema " + schema +
                               " has tables, but not those of jobhost; choose another one with "
                               "storage.schema");
    }
    const Result row =
        server.exec("SELECT value FROM " + quoted_name(schema) + ".meta WHERE key = 'schema'");
    std::optional<SchemaVersion> version;
    if (row.rows() == 1) version = parse_schema_version(row.view(0, 0));
    if (version) return *version;
    throw StorageError(StorageError::Kind::kMisused,
                       "PostgreSQL: the schema " + schema + " is not one of jobhost");
}

std::string replaced(std::string text, std::string_view mark, const std::string& by) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
        text.replace(at, mark.size(), by);
        at += by.size();
    }
    return text;
}

/// The text with the names that depend on the schema written out.
std::string for_schema(std::string_view sql, const std::string& schema) {
    const std::string named = replaced(std::string(sql), "{schema}", quoted_name(schema));
    return replaced(named, "{channel}", quoted_text(channel_of(schema)));
}

SchemaVersion migrate_under_lock(Connection& server, const std::string& schema) {
    SchemaVersion version = read_version(server, schema);  // another process may have been faster
    if (!has_schema(server, schema)) server.exec("CREATE SCHEMA " + quoted_name(schema));
    server.exec("SET LOCAL search_path = " + quoted_name(schema));
    for (const Migration& migration : migrations_due(version, kMigrations)) {
        server.exec(for_schema(migration.sql, schema));
        version = migration.to;
        server.exec("INSERT INTO meta (key, value) VALUES ('schema', " +
                    quoted_text(to_string(version)) +
                    ") ON CONFLICT (key) DO UPDATE SET value = excluded.value");
    }
    return version;
}

}  // namespace

SchemaVersion migrate(const ConnectionOptions& options, bool create) {
    Connection server(options);
    check_server(server);
    const SchemaVersion before = read_version(server, options.schema);
    if (migrations_due(before, kMigrations).empty()) return before;
    if (before == SchemaVersion{} && !create) {
        throw StorageError(StorageError::Kind::kMissing,
                           "PostgreSQL: there is no schema " + options.schema +
                               " with jobhost's tables in " + server.place());
    }
    // A lock of the transaction, so that it works behind a pooler and ends with the process.
    server.exec("BEGIN");
    server.exec("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0");
    server.exec("SELECT pg_advisory_xact_lock(hashtextextended(" +
                quoted_text("jobhost schema " + options.schema) + ", 0))");
    const SchemaVersion version = migrate_under_lock(server, options.schema);
    server.commit({});
    return version;
}

}  // namespace jobhost::postgres
