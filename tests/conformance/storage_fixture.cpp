#include "tests/conformance/storage_fixture.h"

#include "tests/support/postgres_server.h"

namespace jobhost::testing_support {
namespace {

Engine sqlite_engine() {
    return {.name = "sqlite", .fresh = [](const TempDir& folder) {
                return FreshStore{
                    .options = {.url = "sqlite://" + (folder.path() / "jobs.db").string()}};
            }};
}

Engine postgres_engine() {
    return {.name = "postgres", .fresh = [](const TempDir&) {
                const PostgresServer& server = PostgresServer::shared();
                const auto schema = std::make_shared<FreshSchema>(server);
                return FreshStore{.options = {.url = server.url(), .schema = schema->name()},
                                  .remover = schema};
            }};
}

/// The same behind a pooler that gives each transaction another server process.
Engine pooled_engine() {
    return {
        .name = "pgbouncer", .fresh = [](const TempDir&) {
            const PostgresServer& server = PostgresServer::shared();
            const auto schema = std::make_shared<FreshSchema>(server);
            return FreshStore{
                .options = {.url = server.pooler_url(), .schema = schema->name(), .listen = false},
                .remover = schema};
        }};
}

}  // namespace

std::vector<Engine> engines() {
    return {sqlite_engine(), postgres_engine(), pooled_engine()};
}

std::string engine_name(const ::testing::TestParamInfo<Engine>& engine) {
    return engine.param.name;
}

INSTANTIATE_TEST_SUITE_P(Engines, StorageTest, ::testing::ValuesIn(engines()), engine_name);

}  // namespace jobhost::testing_support
