#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "config/config.h"
#include "host/api/filter_words.h"
#include "storage/store.h"

namespace jobhost::cli {

/// Which file: what was typed, else $JOBHOST_CONFIG, else ./jobhost.yaml, else
/// /etc/jobhost/jobhost.yaml; absolute. Throws CommandError (configuration) when there is none.
std::filesystem::path find_config_file(const std::string& typed);

/// Finds and reads it. Throws CommandError (configuration) with all errors of the file.
config::Config load_configured(const std::string& typed);

/// What a command does where there is no store yet. Only what brings something into it makes one:
/// a slip in the URL must not leave an empty store behind.
enum class Missing { kRefuse, kCreate };

/// The configured store, for a command. No plugin is loaded.
class StoreAccess {
public:
    /// Throws CommandError (configuration; not found when there is no store), StorageError.
    explicit StoreAccess(const std::string& config_file, Missing missing = Missing::kRefuse);
    StoreAccess(config::Config config, Missing missing);

    const config::Config& config() const { return config_; }
    StoreHandle& handle() { return *handle_; }
    Store& store() { return *session_; }

    /// Marks nodes dead whose process on this machine has ended without a goodbye, as another
    /// node's watcher would: there may be none alive. Waits 500 ms when there is a suspect.
    void bury_dead_nodes();

private:
    SystemClock clock_;
    config::Config config_;
    std::unique_ptr<StoreHandle> handle_;
    std::unique_ptr<Store> session_;
};

/// Says on standard error which names of the filter nobody knows.
void warn_of_unknown_names(const api::FilterWords& filter, StoreAccess& access);

/// Who acts, for the record: the user's name.
std::string acting_user();

}  // namespace jobhost::cli
