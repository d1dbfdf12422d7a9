#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "host/engine/job_types.h"
#include "host/plugin/plugin_file.h"
#include "host/plugin/plugin_host.h"
#include "host/plugin/try_plugins.h"

namespace jobhost {

/// What to load, and what plugins get from the host.
struct PluginOptions {
    std::vector<std::filesystem::path> directories = {};  // every *.so in them
    std::string directories_where = {};                   // where they were named; for messages
    std::vector<PluginLoad> load = {};                    // named ones, with pins and settings
    bool allow_insecure = false;                          // for development
    std::string node = {};                                // the node's name
    std::string version = {};                             // the host's
    HostServices services = {};
    /// How each library is tried in a child process before it is mapped here; nullopt: it is not.
    std::optional<ProbeOptions> probe = ProbeOptions{};
};

/// All plugins of a host. Their libraries stay mapped for as long as the process lives; what this
/// object holds are the engine's views of them.
class LoadedPlugins {
public:
    LoadedPlugins(LoadedPlugins&&) noexcept;
    LoadedPlugins& operator=(LoadedPlugins&&) noexcept;
    /// Stops the plugins that are started.
    ~LoadedPlugins();

    /// For the engine; constant, and valid as long as this object (moving it changes nothing).
    const JobTypes& types() const;

    /// Things to log, loudly: what `allow_insecure` let pass, triggers that nobody will run.
    const std::vector<std::string>& warnings() const;

    /// Calls each plugin's start, in the order of loading. When one fails, those before it are
    /// stopped again, and the answer says which file and why. Before the engine runs jobs; from
    /// then on plugins may use the services. One thread.
    std::optional<std::string> start();

    /// Calls each started plugin's stop, in reverse order, when no other call into a plugin is
    /// under way. After it the services are not used any more: late calls of plugin threads are
    /// answered UNAVAILABLE or do nothing. Waits for as long as a plugin's stop takes. Does nothing
    /// when not started. One thread.
    void stop();

private:
    class Impl;
    friend tl::expected<LoadedPlugins, std::vector<std::string>> load_plugins(
        const PluginOptions& options);
    explicit LoadedPlugins(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// Examines, tries, maps and checks everything that the options name: the folders first, sorted,
/// then the named files. A file that is in a folder and also named is loaded once, as it is named.
/// All errors of all plugins, each one sentence that begins with a path. No start function is
/// called. Call from one thread, before there are others.
tl::expected<LoadedPlugins, std::vector<std::string>> load_plugins(const PluginOptions& options);

}  // namespace jobhost
