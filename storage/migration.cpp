#include "storage/migration.h"

#include <charconv>

#include "storage/check.h"
#include "storage/storage_error.h"

namespace jobhost {

std::string to_string(const SchemaVersion& version) {
    return std::to_string(version.major) + "." + std::to_string(version.minor);
}

std::optional<SchemaVersion> parse_schema_version(std::string_view text) {
    SchemaVersion version;
    const char* end = text.data() + text.size();
    const auto major = std::from_chars(text.data(), end, version.major);
    if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return std::nullopt;
    const auto minor = std::from_chars(major.ptr + 1, end, version.minor);
    if (minor.ec != std::errc() || minor.ptr != end) return std::nullopt;
    if (version.major < 0 || version.minor < 0) return std::nullopt;
    return version;
}

std::vector<Migration> migrations_due(const SchemaVersion& current,
                                      std::span<const Migration> all) {
    JOBHOST_CHECK(!all.empty());
    const SchemaVersion& newest = all.back().to;
    if (current.major > newest.major) {
        throw StorageError(StorageError::Kind::kTooNew, "the store has schema version " +
                                                            to_string(current) +
                                                            "; this program knows versions up to " +
                                                            std::to_string(newest.major) + ".x");
    }
    std::vector<Migration> due;
    for (const Migration& migration : all) {
        if (migration.to > current) due.push_back(migration);
    }
    return due;
}

}  // namespace jobhost
