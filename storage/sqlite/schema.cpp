#include "storage/sqlite/schema.h"

#include <array>
#include <jobhost_sqlite_migrations.h>

#include "storage/sqlite/session.h"

namespace jobhost::sqlite {
namespace {

constexpr std::array kMigrations{
    Migration{.to = {1, 0}, .name = "001_initial", .sql = embedded::k_001_initial_sql},
    Migration{.to = {1, 1}, .name = "002_running_hosts", .sql = embedded::k_002_running_hosts_sql},
};

bool has_tables(Session& session) {
    Query row = session.query("SELECT 1 FROM sqlite_schema LIMIT 1");
    return row.step();
}

bool has_meta(Session& session) {
    Query row = session.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'meta'");
    return row.step();
}

SchemaVersion read_version(Session& session) {
    if (!has_tables(session)) return {};
    const std::string& path = session.database().path();
    std::optional<SchemaVersion> version;
    if (has_meta(session)) {
        Query row = session.query("SELECT value FROM meta WHERE key = 'schema'");
        if (row.step()) version = parse_schema_version(row.view(0));
    }
    if (version) return *version;
    throw StorageError(StorageError::Kind::kMisused,
                       path + ": this is an SQLite database, but not one of jobhost");
}

void store_version(Session& session, const SchemaVersion& version) {
    const std::string text = to_string(version);
    session.query("INSERT OR REPLACE INTO meta (key, value) VALUES ('schema', ?)")
        .bind_all(text)
        .run();
}

}  // namespace

SchemaVersion schema_version(Session& session) {
    return session.read([&] { return read_version(session); });
}

SchemaVersion migrate(Session& session) {
    const SchemaVersion before = schema_version(session);
    if (migrations_due(before, kMigrations).empty()) return before;

    return session.transact(Durability::kDurable, [&] {
        SchemaVersion version = read_version(session);  // another process may have been faster
        for (const Migration& migration : migrations_due(version, kMigrations)) {
            session.database().exec(std::string(migration.sql).c_str());
            version = migration.to;
            store_version(session, version);
        }
        return version;
    });
}

}  // namespace jobhost::sqlite
