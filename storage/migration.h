#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobhost {

/// A version of the tables. A new minor one only adds: programs of the same major still work on it.
struct SchemaVersion {
    int major = 0;
    int minor = 0;
    auto operator<=>(const SchemaVersion&) const = default;
};
std::string to_string(const SchemaVersion& version);
std::optional<SchemaVersion> parse_schema_version(std::string_view text);

/// One step forward; never edited after a release.
struct Migration {
    SchemaVersion to = {};
    std::string_view name = {};
    std::string_view sql = {};
};

/// The steps that lead from `current` (0.0: an empty store) to the last of `all`, which are in
/// order. Throws StorageError kTooNew when the store has a newer major version; nothing is due for
/// a newer minor one.
std::vector<Migration> migrations_due(const SchemaVersion& current, std::span<const Migration> all);

}  // namespace jobhost
