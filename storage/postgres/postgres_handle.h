#pragma once

#include <memory>
#include <string>

#include "storage/migration.h"
#include "storage/postgres/session.h"
#include "storage/store.h"

namespace jobhost::postgres {

/// A store in a schema of a PostgreSQL database, opened and migrated.
class PostgresHandle final : public StoreHandle {
public:
    PostgresHandle(const StoreOptions& options, const Clock& clock, bool create);

    std::unique_ptr<Store> open_session() override;
    std::unique_ptr<ChangeListener> open_listener() override;

    /// A folder of the machine and the user: nodes of one machine prove each other's deaths there.
    std::string node_folder() const override;
    std::string description() const override { return description_; }
    std::string schema_version() const override { return to_string(version_); }

private:
    const std::size_t max_input_bytes_;
    SessionShared shared_;
    Announcer announcer_;
    SchemaVersion version_;
    std::string description_;
};

}  // namespace jobhost::postgres
