#pragma once

#include <string>

#include "storage/store.h"

namespace jobhost {

/// Room for a store of its own where another one is: for SQLite a folder beside that file, so on
/// the same disk; for PostgreSQL a schema in that database. Both are named after this process. What
/// is made there is gone at the end.
class ScratchStore {
public:
    /// `beside`: options of the other store, which is not touched. Throws StorageError when there
    /// is no room to be had.
    explicit ScratchStore(const StoreOptions& beside);
    ~ScratchStore();
    ScratchStore(const ScratchStore&) = delete;
    ScratchStore& operator=(const ScratchStore&) = delete;

    /// For open_store, which makes the store.
    const StoreOptions& options() const { return options_; }

    /// Where it is, without a password: a folder, or a schema.
    const std::string& place() const { return place_; }

    /// Now instead of in the destructor, which is silent when it fails. Throws StorageError,
    /// std::filesystem::filesystem_error.
    void remove();

private:
    StoreOptions options_;
    std::string folder_;  // SQLite
    std::string place_;
    bool removed_ = false;
};

}  // namespace jobhost
