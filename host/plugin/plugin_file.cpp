#include "host/plugin/plugin_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <variant>

#include <sys/stat.h>

#include "host/plugin/elf_file.h"
#include "host/plugin/file_trust.h"
#include "storage/json_text.h"

namespace jobhost {
namespace {

using Sentences = std::vector<std::string>;
namespace fs = std::filesystem;

class OpenFile {
public:
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    explicit OpenFile(const fs::path& path)
        : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
    ~OpenFile() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    int get() const { return descriptor_; }

private:
    int descriptor_;
};

tl::expected<fs::path, std::string> resolve(const fs::path& path) {
    std::error_code error;
    fs::path resolved = fs::canonical(path, error);
    if (!error) return resolved;
    std::error_code ignored;
    if (fs::is_symlink(fs::symlink_status(path, ignored))) {
        return tl::unexpected(path.string() + ": the symbolic link leads to " +
                              fs::read_symlink(path, ignored).string() +
                              ", which cannot be found: " + error.message());
    }
    return tl::unexpected(path.string() + ": the file cannot be found: " + error.message());
}

std::optional<std::string> wrong_hash(const PluginFile& file, int descriptor) {
    if (file.load.sha256.empty()) return std::nullopt;
    const std::string path = file.resolved.string();
    const auto pin = normalised_pin(file.load.sha256);
    if (!pin) return path + ": sha256 in the configuration is not 64 hex digits";
    const auto actual = sha256_of(descriptor);
    if (!actual) return path + ": the file cannot be read";
    if (*actual == *pin) return std::nullopt;
    return path + ": its sha256 is " + *actual + ", but the configuration pins " + *pin +
           " (it is not the file that was approved)";
}

std::optional<std::string> wrong_settings(const PluginFile& file) {
    if (file.load.settings_json.empty()) return std::nullopt;
    const auto members = json_members(file.load.settings_json);
    if (std::holds_alternative<std::vector<JsonMember>>(members)) return std::nullopt;
    return file.resolved.string() +
           ": its settings are not one JSON object: " + std::get<JsonMistake>(members).sentence();
}

}  // namespace

tl::expected<PluginFile, Sentences> examine_plugin_file(const PluginLoad& load, bool allow_insecure,
                                                        Sentences& warnings) {
    const auto resolved = resolve(load.path);
    if (!resolved) return tl::unexpected(Sentences{resolved.error()});
    PluginFile file{.load = load, .resolved = *resolved};
    const OpenFile opened(file.resolved);
    struct stat about = {};
    if (opened.get() < 0 || ::fstat(opened.get(), &about) != 0) {
        return tl::unexpected(Sentences{file.resolved.string() +
                                        ": the file cannot be opened: " + std::strerror(errno)});
    }
    file.device = about.st_dev;
    file.inode = about.st_ino;

    Sentences errors;
    const auto add = [&errors](const std::optional<std::string>& error) {
        if (error) errors.push_back(*error);
    };
    const auto elf = inspect_elf(opened.get(), file.resolved);
    if (!elf) errors.push_back(elf.error());
    for (const std::string& reason : distrust_reasons(file.resolved)) {
        if (allow_insecure) {
            warnings.push_back("INSECURE, accepted because of plugins.allow_insecure: " + reason);
        } else {
            errors.push_back(reason);
        }
    }
    add(wrong_hash(file, opened.get()));
    add(wrong_settings(file));
    if (!errors.empty()) return tl::unexpected(std::move(errors));
    return file;
}

tl::expected<std::vector<fs::path>, std::string> plugin_files_in(const fs::path& folder) {
    std::vector<fs::path> files;
    try {
        for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
            const fs::path& path = entry.path();
            if (path.extension() == ".so") files.push_back(path);
        }
    } catch (const fs::filesystem_error& error) {
        return tl::unexpected(folder.string() +
                              ": the plugin folder cannot be read: " + error.code().message());
    }
    std::ranges::sort(files);
    return files;
}

}  // namespace jobhost
