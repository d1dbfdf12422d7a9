#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace jobhost {

/// What a plugin says about itself in its section `.jobhost`. For people; the entry symbol decides.
struct PluginNote {
    int abi_major = 0;
    int abi_minor = 0;
    int min_host_minor = 0;
    std::string name = {};
    std::string version = {};
    std::string sdk = {};
};

/// A shared object, read as a file: no code of it has run.
struct ElfFile {
    std::optional<PluginNote> note = {};    // plugins in C may have none
    std::vector<std::string> needed = {};   // DT_NEEDED: the libraries it wants
    std::vector<std::string> exports = {};  // names of its defined dynamic symbols, at most 10,000
};

/// Reads the file behind the descriptor and refuses what must never reach the dynamic linker:
/// mapping a half-copied library ends the process with SIGBUS, and other broken ones end it in
/// other ways. The error is one sentence that begins with `path`.
tl::expected<ElfFile, std::string> inspect_elf(int descriptor, const std::filesystem::path& path);

}  // namespace jobhost
