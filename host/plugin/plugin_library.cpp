#include "host/plugin/plugin_library.h"

#include <dlfcn.h>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <boost/dll/shared_library.hpp>

#include "host/plugin/abi_values.h"
#include "host/plugin/current_call.h"
#include "host/plugin/plugin_error.h"

namespace jobhost {
namespace {

using Sentences = std::vector<std::string>;

tl::unexpected<Sentences> refused(const std::filesystem::path& file, const std::string& why) {
    return tl::unexpected(Sentences{file.string() + ": " + why});
}

/// Libraries that were mapped, also those that were refused after that: their code may have started
/// threads. Never destroyed, so never unmapped.
std::vector<boost::dll::shared_library>& kept_libraries() {
    static auto& libraries = *new std::vector<boost::dll::shared_library>;
    return libraries;
}

std::vector<std::unique_ptr<PluginLibrary>>& kept_plugins() {
    static auto& plugins = *new std::vector<std::unique_ptr<PluginLibrary>>;
    return plugins;
}

/// What dlerror() said, out of Boost's `load() failed (dlerror system message: ...): Bad file
/// descriptor`, and without the file's name in front, which our sentence has already.
std::string dlerror_text(std::string reason, const std::filesystem::path& file) {
    constexpr std::string_view kBegin = "dlerror system message: ";
    const std::size_t begin = reason.find(kBegin);
    const std::size_t end = reason.rfind("): ");
    if (begin != std::string::npos && end != std::string::npos && end > begin) {
        reason = reason.substr(begin + kBegin.size(), end - begin - kBegin.size());
    }
    const std::string prefix = file.string() + ": ";
    if (reason.starts_with(prefix)) reason.erase(0, prefix.size());
    return reason;
}

std::string advice_for(const std::string& reason) {
    if (reason.find("undefined symbol") != std::string::npos) {
        return " (link the plugin with every library that it uses, and with -Wl,-z,defs)";
    }
    if (reason.find("cannot open shared object file") != std::string::npos) {
        return " (install the library that it needs; ldd shows all of them)";
    }
    if (reason.find("failed to map segment") != std::string::npos) {
        return " (is its file system mounted with noexec?)";
    }
    return {};
}

/// Why the entry is not one that this host can work with.
std::optional<std::string> check_entry(const jobhost_plugin_entry& entry) {
    if (entry.magic != JOBHOST_MAGIC) {
        return JOBHOST_ENTRY_SYMBOL " is not a plugin entry (its magic number is wrong)";
    }
    if (entry.abi_major != JOBHOST_ABI_MAJOR) {
        return "it was built for ABI " + std::to_string(entry.abi_major) + "." +
               std::to_string(entry.abi_minor) + ", this host speaks " +
               std::to_string(JOBHOST_ABI_MAJOR) + "." + std::to_string(JOBHOST_ABI_MINOR) +
               " (build it against this host's SDK)";
    }
    if (entry.pointer_bits != 64) {
        return "it says that it was built for " + std::to_string(entry.pointer_bits) +
               "-bit pointers; this host has 64-bit ones";
    }
    if (!has_first_size(entry)) {
        return "its entry has struct_size " + std::to_string(entry.struct_size) +
               "; it must be at least " + std::to_string(kFirstSize<jobhost_plugin_entry>);
    }
    if (entry.min_host_minor > JOBHOST_ABI_MINOR) {
        return "it needs a host of ABI " + std::to_string(JOBHOST_ABI_MAJOR) + "." +
               std::to_string(entry.min_host_minor) + " or newer, this host speaks " +
               std::to_string(JOBHOST_ABI_MAJOR) + "." + std::to_string(JOBHOST_ABI_MINOR) +
               " (upgrade jobhost)";
    }
    if (entry.describe == nullptr) return "its entry has no describe function";
    if (entry.start == nullptr) return "its entry has no start function";
    return std::nullopt;
}

/// describe(), with the net: nothing may come out of it, but a broken plugin must be named.
tl::expected<const jobhost_plugin*, std::string> describe(const jobhost_plugin_entry& entry,
                                                          const std::string& file) {
    const CallScope scope({.plugin = file.c_str(), .function = "describe"});
    const jobhost_error* error = nullptr;
    try {
        const jobhost_plugin* plugin = entry.describe(&error);
        if (plugin != nullptr) return plugin;
    } catch (...) {
        return tl::unexpected(std::string(
            "an exception left its describe function, which breaks the rules of the ABI"));
    }
    return tl::unexpected("it could not register its jobs: " +
                          (error == nullptr ? "it did not say why" : one_line(*error)));
}

}  // namespace

tl::expected<PluginLibrary*, Sentences> open_plugin_library(const std::filesystem::path& file) {
    const jobhost_plugin_entry* theirs = nullptr;
    try {
        // Not in Boost's enumeration, but it hands unknown bits to dlopen().
        const auto mode =
            static_cast<boost::dll::load_mode::type>(RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        // The throwing overloads, because only their messages carry dlerror().
        kept_libraries().emplace_back(file, mode);
        theirs = &kept_libraries().back().get<const jobhost_plugin_entry>(JOBHOST_ENTRY_SYMBOL);
    } catch (const std::system_error& error) {
        const std::string reason = dlerror_text(error.what(), file);
        return refused(file, "it cannot be loaded: " + reason + advice_for(reason));
    } catch (...) {
        return refused(file, "a static initialiser of it threw an exception");
    }

    if (const auto why = check_entry(*theirs)) return refused(file, *why);
    auto plugin = std::make_unique<PluginLibrary>();
    plugin->file = file.string();
    plugin->entry = read_struct(*theirs);
    const auto described = describe(plugin->entry, plugin->file);
    if (!described) return refused(file, described.error());
    auto description = read_description(**described);
    if (!description) {
        Sentences errors;
        for (const std::string& why : description.error()) {
            errors.push_back(plugin->file + ": " + why);
        }
        return tl::unexpected(std::move(errors));
    }
    plugin->description = std::move(*description);
    plugin->label = plugin->description.label();
    kept_plugins().push_back(std::move(plugin));
    return kept_plugins().back().get();
}

}  // namespace jobhost
