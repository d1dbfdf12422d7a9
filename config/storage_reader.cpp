#include "config/storage_reader.h"

#include <optional>

#include "config/secret.h"
#include "config/value_parsers.h"

namespace jobhost::config {
tl::expected<std::string, std::string> sqlite_path(std::string_view url,
                                                   const std::filesystem::path& base_dir) {
    if (url.starts_with("postgresql:") || url.starts_with("postgres:")) {
        return tl::unexpected<std::string>(
            "this build has no PostgreSQL engine yet; use sqlite:///path");
    }
    constexpr std::string_view kScheme = "sqlite:";
    if (!url.starts_with(kScheme)) {
        return tl::unexpected<std::string>(
            "must begin with sqlite:, such as sqlite:///var/lib/jobhost/jobs.db");
    }
    std::string_view path = url.substr(kScheme.size());
    if (path.starts_with("//")) path.remove_prefix(2);
    if (path.find_first_of(std::string_view("?#\0", 3)) != std::string_view::npos) {
        return tl::unexpected<std::string>(
            "must not hold ? or #: there are no options in a sqlite URL");
    }
    if (path == ":memory:") {
        return tl::unexpected<std::string>(
            "must name a file: jobs in memory would not outlive the process");
    }
    // operator/ drops base_dir before an absolute path.
    const std::filesystem::path full = (base_dir / path).lexically_normal();
    if (path.empty() || !full.has_filename()) {
        return tl::unexpected<std::string>("must name a file after sqlite:, not a folder");
    }
    std::string text = full.string();
    // Two leading slashes are the same place but would read as a host in the URL.
    text.erase(0, text.find_first_not_of('/') - 1);
    return text;
}

void read_storage(MapReader& map, StorageConfig& into) {
    const std::filesystem::path& base_dir = map.context().base_dir();
    std::optional<std::string> url;
    std::optional<std::string> url_file;
    map.read("url", url, text());
    map.read("url_file", url_file, path(PathKind::kFile, base_dir));
    map.read("synchronous", into.synchronous,
             choice<StorageSynchronous>(
                 {{"full", StorageSynchronous::kFull}, {"normal", StorageSynchronous::kNormal}}));

    const std::string key = map.has("url") ? "url" : "url_file";
    if (map.has("url") && map.has("url_file")) {
        return map.error("url_file", "cannot stand beside url; choose one");
    }
    if (!map.has(key)) return map.error("needs `url` or `url_file`");
    if (url_file) {
        auto secret = read_secret(*url_file);
        if (!secret) return map.error(key, secret.error());
        url = *std::move(secret);
    }
    if (!url) return;  // wrong, and reported as such

    auto path = sqlite_path(*url, base_dir);
    if (!path) return map.error(key, path.error());
    into.path = *std::move(path);
    into.url = "sqlite://" + into.path;
}

}  // namespace jobhost::config
