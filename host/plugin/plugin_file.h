#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>
#include <tl/expected.hpp>

namespace jobhost {

/// One plugin that the operator named.
struct PluginLoad {
    std::filesystem::path path = {};
    std::string sha256 = {};         // optional pin: 64 hex digits
    std::string settings_json = {};  // one JSON object; empty: none
    std::string where = {};          // where it was named, `jobhost.yaml:12`; for messages
};

/// A file that may be mapped, as far as one can tell without running it.
struct PluginFile {
    PluginLoad load = {};                 // as the operator named it
    std::filesystem::path resolved = {};  // absolute, without symbolic links
    dev_t device = 0;
    ino_t inode = 0;
};

/// Resolves, inspects and judges one file: that it exists and is a plugin's library (elf_file.h),
/// that only root and the host's user can have written it (file_trust.h), that its hash is the
/// pinned one. All errors, each one sentence with the path. With `allow_insecure` what is wrong
/// with owners and modes is added to `warnings` instead; a wrong hash stays an error.
tl::expected<PluginFile, std::vector<std::string>> examine_plugin_file(
    const PluginLoad& load, bool allow_insecure, std::vector<std::string>& warnings);

/// Every `*.so` in the folder, sorted by name. The error is one sentence.
tl::expected<std::vector<std::filesystem::path>, std::string> plugin_files_in(
    const std::filesystem::path& folder);

}  // namespace jobhost
