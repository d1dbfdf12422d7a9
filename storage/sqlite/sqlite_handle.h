#pragma once

#include <memory>
#include <string>

#include "storage/migration.h"
#include "storage/sqlite/session.h"
#include "storage/store.h"

namespace jobhost::sqlite {

/// A store in one file, opened and migrated.
class SqliteHandle final : public StoreHandle {
public:
    /// `path`: absolute. The file is made, for its owner only, when it is not there and `create`.
    SqliteHandle(const std::string& path, const StoreOptions& options, const Clock& clock,
                 bool create);

    std::unique_ptr<Store> open_session() override;
    std::unique_ptr<ChangeListener> open_listener() override;

    /// `<database>-nodes`, made when it is not there.
    std::string node_folder() const override;
    std::string description() const override;
    std::string schema_version() const override { return to_string(version_); }

private:
    const SessionOptions options_;
    const std::size_t max_input_bytes_;
    const Clock& clock_;
    SchemaVersion version_;
};

}  // namespace jobhost::sqlite
