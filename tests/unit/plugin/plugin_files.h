#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "host/plugin/plugin_set.h"
#include "tests/support/temp_dir.h"

namespace jobhost {

/// Libraries for one test, in a folder of its own with the modes that a plugin folder has. The
/// fixtures are copied there, so that neither the umask nor the place of the build folder matters.
class PluginFiles {
public:
    std::filesystem::path folder() const { return folder_.path(); }
    std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }

    /// A copy of a library of tests/bad_plugins or of the fixtures here, by its target's name.
    std::filesystem::path add(const std::string& fixture, const std::string& as = "") const {
        const auto file = path(as.empty() ? fixture + ".so" : as);
        std::filesystem::path built = std::filesystem::path(FIXTURES) / (fixture + ".so");
        if (!std::filesystem::exists(built)) {
            built = std::filesystem::path(BAD_PLUGINS) / (fixture + ".so");
        }
        std::filesystem::copy_file(built, file);
        set_mode(file, 0644);
        return file;
    }
    std::filesystem::path write(const std::string& name, const std::string& bytes) const {
        std::ofstream(path(name), std::ios::binary) << bytes;
        set_mode(path(name), 0644);
        return path(name);
    }
    static std::string read(const std::filesystem::path& file) {
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    }
    static void set_mode(const std::filesystem::path& file, unsigned mode) {
        std::filesystem::permissions(file, std::filesystem::perms(mode));
    }

private:
    TempDir folder_;
};

/// Options for one named file, without a child process.
inline PluginOptions only(const std::filesystem::path& file) {
    PluginOptions options;
    options.load.push_back({.path = file});
    options.probe.reset();
    return options;
}

/// The errors of loading, one a line; empty: it went well.
inline std::string refusal(const PluginOptions& options) {
    const auto loaded = load_plugins(options);
    if (loaded) return {};
    std::string text;
    for (const std::string& error : loaded.error()) {
        if (!text.empty()) text += '\n';
        text += error;
    }
    return text;
}

}  // namespace jobhost
