#pragma once

#include <memory>
#include <string>

#include "storage/clock.h"
#include "storage/job_control.h"
#include "storage/job_queries.h"
#include "storage/storage.h"

namespace jobhost {

/// One session with a store, with everything that can be asked of it.
class Store : public Storage, public JobQueries, public JobControl {};

/// Waits for news from other sessions and processes: new jobs, resumed queues, requests. Used by
/// one thread.
class ChangeListener {
public:
    virtual ~ChangeListener() = default;

    /// True when something may have changed since the last call; false after `at_most`.
    virtual bool wait(Duration at_most) = 0;
};

struct StoreOptions {
    std::string url = {};          // sqlite:///absolute/path, or postgresql://... as libpq takes it
    bool synchronous_full = true;  // false: a power cut may lose the last moments
    std::size_t max_input_bytes = 1024 * 1024;
    Duration lock_timeout = std::chrono::seconds(15);  // how long to wait for another writer
    std::string schema = "jobhost";                    // PostgreSQL: where the tables are
    bool listen = true;  // PostgreSQL: false behind a pooler that lends a server per transaction
    /// The store's time is the clock's, also where the store has a clock of its own: for tests that
    /// move time by hand.
    bool clock_is_time = false;
};

/// A store that was opened, migrated forward and is ready. Thread-safe; outlives its sessions.
class StoreHandle {
public:
    virtual ~StoreHandle() = default;
    virtual std::unique_ptr<Store> open_session() = 0;
    virtual std::unique_ptr<ChangeListener> open_listener() = 0;

    /// Folder for files of nodes on this machine (lock files); empty when the store is elsewhere.
    virtual std::string node_folder() const = 0;

    /// One line for the log: engine, version, file, and the rules that follow from them.
    virtual std::string description() const = 0;

    /// Schema version, `major.minor`.
    virtual std::string schema_version() const = 0;
};

/// Opens the store and migrates it forward under a lock. Throws StorageError: kTooNew for a newer
/// major version, kUnavailable when it cannot be opened (message with the path), kMisused for an
/// url that it does not know. `create`: make the file when it is not there.
std::unique_ptr<StoreHandle> open_store(const StoreOptions& options, const Clock& clock,
                                        bool create = true);

}  // namespace jobhost
