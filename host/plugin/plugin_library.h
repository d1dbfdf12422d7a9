#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <jobhost/abi.h>
#include <tl/expected.hpp>

#include "host/plugin/plugin_description.h"

namespace jobhost {

/// A plugin whose library is mapped, and stays so until the process ends: code, texts and type
/// names of a plugin are referenced by threads, thread-exit destructors and errors for longer than
/// anyone can know. `self` is what its start() answered, and is handed to all its functions.
struct PluginLibrary {
    std::string file = {};            // absolute, without symbolic links
    jobhost_plugin_entry entry = {};  // this host's copy
    PluginDescription description = {};
    std::string label = {};  // `name version`
    void* self = nullptr;
};

/// Maps the library, checks its entry and its description. All errors, each one sentence that
/// begins with the file. `file` is absolute; inspect it (elf_file.h) and judge it (file_trust.h)
/// before. Runs the library's static initialisers and its describe(), so a hostile or broken one
/// can end the process: see try_plugins.h. Call from one thread at a time.
///
/// The library is mapped from its own path, so replace a plugin by renaming the new file over the
/// old one (install, mv, a package), never by writing into it (cp): a running host would crash.
///
/// The result is never destroyed.
tl::expected<PluginLibrary*, std::vector<std::string>> open_plugin_library(
    const std::filesystem::path& file);

}  // namespace jobhost
