#pragma once

#include <memory>
#include <mutex>

#include "host/engine/engine.h"
#include "host/plugin/plugin_host.h"
#include "storage/store.h"

namespace jobhost {

class Log;

/// What plugins may use outside of a run: before the engine works (a plugin's start hook) jobs are
/// stored directly, after that through the engine's committer. Thread-safe.
class PluginDoor {
public:
    /// `log` outlives the door.
    explicit PluginDoor(Log& log) : log_(log) {}

    /// For PluginOptions; the door outlives their use.
    HostServices services();

    /// From now on jobs can be stored. `store` outlives the door, or is taken back with nullptr.
    void set_store(StoreHandle* store);
    void set_engine(Engine* engine);

private:
    Asked enqueue(NewJob job);
    Asked enqueue_directly(const NewJob& job);

    Log& log_;
    std::mutex mutex_;
    std::unique_ptr<Store> session_;  // guarded by mutex_
    Engine* engine_ = nullptr;        // guarded by mutex_
};

}  // namespace jobhost
