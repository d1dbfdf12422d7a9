#include "host/plugin/plugin_set.h"

#include <algorithm>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "host/plugin/current_call.h"
#include "host/plugin/plugin_dead_letter.h"
#include "host/plugin/plugin_delay.h"
#include "host/plugin/plugin_error.h"
#include "host/plugin/plugin_job_type.h"
#include "host/plugin/plugin_library.h"
#include "host/plugin/symboliser.h"

namespace jobhost {
namespace {

using Sentences = std::vector<std::string>;

/// Never destroyed: a plugin may use its jobhost_host when it should not any more.
PluginHost& keep(std::unique_ptr<PluginHost> host) {
    static auto& kept = *new std::vector<std::unique_ptr<PluginHost>>;
    kept.push_back(std::move(host));
    return *kept.back();
}

void append(Sentences& to, Sentences from) {
    for (std::string& sentence : from) {
        // A broken file that is in a folder and also named would be reported twice.
        if (std::ranges::find(to, sentence) == to.end()) to.push_back(std::move(sentence));
    }
}

/// With the place in the configuration in front, so that the line to change is found at once.
Sentences placed(const std::string& where, Sentences sentences) {
    if (where.empty()) return sentences;
    for (std::string& sentence : sentences) sentence.insert(0, where + ": ");
    return sentences;
}

/// The files to load, each once.
class FileList {
public:
    FileList(const PluginOptions& options, Sentences& errors, Sentences& warnings)
        : options_(options), errors_(errors), warnings_(warnings) {}

    std::vector<PluginFile> read() {
        for (const std::filesystem::path& folder : options_.directories) {
            const auto files = plugin_files_in(folder);
            if (!files) append(errors_, placed(options_.directories_where, {files.error()}));
            for (const auto& file : files.value_or(std::vector<std::filesystem::path>{})) {
                add({.path = file, .where = options_.directories_where}, false);
            }
        }
        for (const PluginLoad& load : options_.load) add(load, true);
        return std::move(files_);
    }

private:
    void add(const PluginLoad& load, bool is_named) {
        auto examined = examine_plugin_file(load, options_.allow_insecure, warnings_);
        if (!examined) return append(errors_, placed(load.where, std::move(examined.error())));
        const auto same = std::ranges::find_if(files_, [&](const PluginFile& other) {
            return other.device == examined->device && other.inode == examined->inode;
        });
        const bool is_new = same == files_.end();
        const auto id = std::pair(examined->device, examined->inode);
        if (is_named && !named_.insert(id).second) {
            append(errors_, {load.path.string() + ": the plugin is named twice under plugins.load" +
                             (same->load.path == load.path
                                  ? std::string()
                                  : ", the other time as " + same->load.path.string())});
            return;
        }
        if (is_new) {
            files_.push_back(std::move(*examined));
        } else if (is_named) {
            *same = std::move(*examined);  // with its pin and its settings
        }
    }

    const PluginOptions& options_;
    Sentences& errors_;
    Sentences& warnings_;
    std::vector<PluginFile> files_ = {};
    std::set<std::pair<dev_t, ino_t>> named_ = {};
};

/// Leaves those that can be mapped without harm.
std::vector<PluginFile> only_harmless(std::vector<PluginFile> files, const ProbeOptions& options,
                                      Sentences& errors) {
    std::vector<PluginFile> harmless;
    for (PluginFile& file : files) {
        try {
            auto probed = try_plugins(std::span(&file.resolved, 1), options);
            if (probed.front().errors.empty()) {
                harmless.push_back(std::move(file));
            } else {
                append(errors, placed(file.load.where, std::move(probed.front().errors)));
            }
        } catch (const std::system_error& error) {
            append(errors, {file.resolved.string() +
                            ": it cannot be tried in a process of its own: " + error.what()});
        }
    }
    return harmless;
}

}  // namespace

class LoadedPlugins::Impl {
public:
    Impl() = default;
    ~Impl() { stop(); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void add(PluginLibrary& plugin, const PluginFile& file, const PluginOptions& options,
             Sentences& errors) {
        PluginHost& host =
            keep(std::make_unique<PluginHost>(HostFacts{.version = options.version,
                                                        .node = options.node,
                                                        .file = file.load.path.string(),
                                                        .settings = file.load.settings_json,
                                                        .plugin = plugin.label},
                                              options.services));
        parts_.push_back({&plugin, &host});
        types_.plugins.push_back(plugin.label);
        claim("plugin name", plugin.description.name, plugin, errors);
        add_types(plugin, errors);
        add_others(plugin, host, errors);
    }

    /// Once all are there.
    void check_references(Sentences& errors) {
        for (const Part& part : parts_) {
            for (const DescribedType& type : part.plugin->description.types) {
                const auto& delay = type.policy.retry.delay;
                if (!delay || *delay == "default" || types_.find_delay(*delay) != nullptr) continue;
                append(errors,
                       {part.plugin->file + ": the job type " + type.name +
                        " wants the retry delay " + *delay + ", which no loaded plugin has"});
            }
        }
        std::ranges::sort(types_.error_types);
        const auto repeated = std::ranges::unique(types_.error_types);
        types_.error_types.erase(repeated.begin(), repeated.end());
    }

    const JobTypes& types() const { return types_; }
    Sentences& warnings() { return warnings_; }

    std::optional<std::string> start() {
        for (Part& part : parts_) {
            if (part.is_started) continue;
            part.host->open();
            if (auto error = start_one(*part.plugin, *part.host)) {
                part.host->close();
                stop();
                return part.plugin->file + ": " + *error;
            }
            part.is_started = true;
        }
        return std::nullopt;
    }

    void stop() {
        for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
            if (!std::exchange(part->is_started, false)) continue;
            stop_one(*part->plugin, *part->host);
            part->host->close();
        }
    }

private:
    struct Part {
        PluginLibrary* plugin = nullptr;
        PluginHost* host = nullptr;
        bool is_started = false;
    };

    static std::optional<std::string> start_one(PluginLibrary& plugin, const PluginHost& host) {
        std::optional<ThrownError> reported;
        const CallScope scope(
            {.plugin = plugin.label.c_str(), .function = "start", .reported = &reported});
        try {
            const jobhost_status status = plugin.entry.start(host.api(), &plugin.self);
            if (status == JOBHOST_OK) return std::nullopt;
            if (!reported) {
                return "its start function answered status " + std::to_string(status) +
                       " without saying why (report_error)";
            }
        } catch (...) {
            return "an exception left its start function, which breaks the rules of the plugin ABI";
        }
        return "it could not start: " + reported->error.type + ": " + reported->error.message;
    }

    static void stop_one(PluginLibrary& plugin, const PluginHost& host) {
        if (plugin.entry.stop == nullptr) return;
        const CallScope scope({.plugin = plugin.label.c_str(), .function = "stop"});
        try {
            plugin.entry.stop(plugin.self);
        } catch (...) {
            host.log(LogLevel::kError, "an exception left its stop function");
        }
    }

    /// Names are unique in the host.
    void claim(const char* what, const std::string& name, const PluginLibrary& plugin,
               Sentences& errors) {
        const auto [other, is_new] = owners_.try_emplace({what, name}, plugin.file);
        if (is_new) return;
        append(errors, {plugin.file + ": the " + what + " " + name + " is already taken by " +
                        other->second});
    }

    void add_types(const PluginLibrary& plugin, Sentences& errors) {
        const PluginDescription& description = plugin.description;
        for (const DescribedType& type : description.types) {
            claim("job type", type.name, plugin, errors);
            LoadedType loaded{.name = type.name,
                              .plugin = plugin.label,
                              .policy = type.policy,
                              .run = make_job_type(plugin, type)};
            for (const auto& handler : description.handlers) {
                if (handler.name == type.name) {
                    loaded.handler = make_dead_letter_handler(plugin, handler);
                }
            }
            types_.types.push_back(std::move(loaded));
        }
    }

    void add_others(const PluginLibrary& plugin, const PluginHost& host, Sentences& errors) {
        const PluginDescription& description = plugin.description;
        for (const auto& forwarder : description.forwarders) {
            claim("forwarder", forwarder.name, plugin, errors);
            types_.forwarders.push_back(
                {forwarder.name, plugin.label, make_forwarder(plugin, forwarder, host)});
        }
        for (const auto& delay : description.delays) {
            claim("retry delay", delay.name, plugin, errors);
            types_.delays.push_back({delay.name, plugin.label, make_delay_function(plugin, delay)});
        }
        for (const std::string& kind : description.trigger_kinds) {
            claim("trigger kind", kind, plugin, errors);
            append(warnings_,
                   {plugin.file + ": this version runs no triggers; " + kind + " is ignored"});
        }
        types_.error_types.insert(types_.error_types.end(), description.error_types.begin(),
                                  description.error_types.end());
    }

    std::vector<Part> parts_ = {};
    JobTypes types_ = {};
    Sentences warnings_ = {};
    std::map<std::pair<std::string, std::string>, std::string> owners_ = {};  // -> file
};

LoadedPlugins::LoadedPlugins(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LoadedPlugins::LoadedPlugins(LoadedPlugins&&) noexcept = default;
LoadedPlugins& LoadedPlugins::operator=(LoadedPlugins&&) noexcept = default;
LoadedPlugins::~LoadedPlugins() = default;

const JobTypes& LoadedPlugins::types() const {
    return impl_->types();
}
const std::vector<std::string>& LoadedPlugins::warnings() const {
    return impl_->warnings();
}
std::optional<std::string> LoadedPlugins::start() {
    return impl_->start();
}
void LoadedPlugins::stop() {
    impl_->stop();
}

tl::expected<LoadedPlugins, Sentences> load_plugins(const PluginOptions& options) {
    Sentences errors;
    auto impl = std::make_unique<LoadedPlugins::Impl>();
    std::vector<PluginFile> files = FileList(options, errors, impl->warnings()).read();
    if (options.probe) files = only_harmless(std::move(files), *options.probe, errors);
    for (const PluginFile& file : files) {
        auto plugin = open_plugin_library(file.resolved);
        if (plugin) {
            impl->add(**plugin, file, options, errors);
        } else {
            append(errors, placed(file.load.where, std::move(plugin.error())));
        }
    }
    impl->check_references(errors);
    symbols_changed();
    if (!errors.empty()) return tl::unexpected(std::move(errors));
    return LoadedPlugins(std::move(impl));
}

}  // namespace jobhost
