#include "storage/migration.h"

#include <array>

#include <gtest/gtest.h>

#include "storage/storage_error.h"

namespace jobhost {
namespace {

constexpr std::array kAll{
    Migration{.to = {1, 0}, .name = "one"},
    Migration{.to = {1, 1}, .name = "two"},
    Migration{.to = {2, 0}, .name = "three"},
};

std::string names_due(const SchemaVersion& current) {
    std::string names;
    for (const Migration& migration : migrations_due(current, kAll)) {
        names += std::string(migration.name) + " ";
    }
    return names;
}

TEST(Migration, AnEmptyStoreGetsAllStepsInOrder) {
    EXPECT_EQ(names_due({0, 0}), "one two three ");
}

TEST(Migration, OnlyLaterStepsAreDue) {
    EXPECT_EQ(names_due({1, 0}), "two three ");
    EXPECT_EQ(names_due({2, 0}), "");
}

TEST(Migration, ANewerMinorVersionIsUsedAsItIs) {
    EXPECT_EQ(names_due({2, 7}), "");
}

TEST(Migration, ANewerMajorVersionIsRefused) {
    try {
        migrations_due({3, 0}, kAll);
        FAIL();
    } catch (const StorageError& error) {
        EXPECT_EQ(error.kind(), StorageError::Kind::kTooNew);
    }
}

TEST(SchemaVersion, IsReadBackAsItWasWritten) {
    EXPECT_EQ(parse_schema_version(to_string(SchemaVersion{12, 3})), (SchemaVersion{12, 3}));
}

TEST(SchemaVersion, NonsenseIsNoVersion) {
    for (const char* text : {"", "1", "1.", ".1", "1.x", "x.1", "1.2.3", "-1.0", " 1.0"}) {
        EXPECT_FALSE(parse_schema_version(text).has_value()) << text;
    }
}

}  // namespace
}  // namespace jobhost
