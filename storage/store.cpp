#include "storage/store.h"

#include <string_view>

#include "storage/postgres/postgres_handle.h"
#include "storage/sqlite/sqlite_handle.h"
#include "storage/storage_error.h"

namespace jobhost {

std::unique_ptr<StoreHandle> open_store(const StoreOptions& options, const Clock& clock,
                                        bool create) {
    constexpr std::string_view kSqlite = "sqlite://";
    if (options.url.starts_with(kSqlite)) {
        const std::string path = options.url.substr(kSqlite.size());
        // Taken as it is written: no escapes, no parameters.
        if (path.starts_with('/') && !path.ends_with('/') && path.find('\0') == std::string::npos) {
            return std::make_unique<sqlite::SqliteHandle>(path, options, clock, create);
        }
        throw StorageError(StorageError::Kind::kMisused, options.url +
                                                             ": the path must be absolute, as in "
                                                             "sqlite:///var/lib/jobhost/jobs.db");
    }
    if (options.url.starts_with("postgresql://") || options.url.starts_with("postgres://")) {
        return std::make_unique<postgres::PostgresHandle>(options, clock, create);
    }
    // The scheme may be shown; what stands behind it may be a password.
    const std::string scheme = options.url.substr(0, options.url.find(':'));
    throw StorageError(
        StorageError::Kind::kMisused,
        "the storage url \"" + scheme +
            ":...\" is unknown; known are sqlite:///absolute/path and postgresql://host/database");
}

}  // namespace jobhost
