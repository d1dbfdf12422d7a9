#include "tests/conformance/storage_fixture.h"

namespace jobhost::testing_support {
namespace {

Engine sqlite_engine() {
    return {.name = "sqlite", .fresh_url = [](const TempDir& folder) {
                return "sqlite://" + (folder.path() / "jobs.db").string();
            }};
}

INSTANTIATE_TEST_SUITE_P(Engines, StorageTest, ::testing::Values(sqlite_engine()),
                         [](const ::testing::TestParamInfo<Engine>& engine) {
                             return engine.param.name;
                         });

}  // namespace
}  // namespace jobhost::testing_support
