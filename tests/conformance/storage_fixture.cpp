#include "tests/conformance/storage_fixture.h"

namespace jobhost::testing_support {
namespace {

Engine sqlite_engine() {
    return {.name = "sqlite", .fresh_url = [](const TempDir& folder) {
                return "sqlite://" + (folder.path() / "jobs.db").string();
            }};
}

}  // namespace

std::vector<Engine> engines() {
    return {sqlite_engine()};
}

std::string engine_name(const ::testing::TestParamInfo<Engine>& engine) {
    return engine.param.name;
}

INSTANTIATE_TEST_SUITE_P(Engines, StorageTest, ::testing::ValuesIn(engines()), engine_name);

}  // namespace jobhost::testing_support
