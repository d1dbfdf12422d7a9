#pragma once

#include <functional>
#include <shared_mutex>
#include <string>
#include <string_view>

#include <jobhost/abi.h>

#include "host/engine/run_context.h"

namespace jobhost {

/// What plugins may use outside of a run. Called from any thread, concurrently.
struct HostServices {
    /// Stores a job, durable on return. Not set: plugins are answered UNAVAILABLE.
    std::function<Asked(NewJob)> enqueue = {};
    /// One line for the host's log. `plugin` is `name version`.
    std::function<void(LogLevel, std::string_view plugin, std::string_view text)> log = {};
    /// Whether `log` would write this level. Not set: all levels.
    std::function<bool(LogLevel)> log_enabled = {};
};

/// The facts that a plugin is told about its host.
struct HostFacts {
    std::string version = {};
    std::string node = {};      // its name, for people
    std::string file = {};      // the plugin's, as the operator named it
    std::string settings = {};  // one JSON object; empty: none, the plugin sees `{}`
    std::string plugin = {};    // `name version`
};

/// The jobhost_host of one plugin. Must live as long as the process, because a plugin may keep the
/// pointer and use it too late: after close() every function answers UNAVAILABLE or does nothing.
class PluginHost {
public:
    PluginHost(HostFacts facts, HostServices services);
    PluginHost(const PluginHost&) = delete;
    PluginHost& operator=(const PluginHost&) = delete;

    const jobhost_host* api() const { return &api_; }

    /// From start on, until close.
    void open();
    /// Waits for calls that are under way; no service is used after that.
    void close();

    /// Dropped when closed, or when nobody listens.
    void log(LogLevel level, std::string_view text) const;
    bool log_enabled(LogLevel level) const;
    Asked enqueue(NewJob job) const;

private:
    const HostFacts facts_;
    const HostServices services_;
    jobhost_host api_ = {};
    mutable std::shared_mutex mutex_;
    bool is_open_ = false;  // guarded by mutex_
};

}  // namespace jobhost
