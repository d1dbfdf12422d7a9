#include "config/storage_reader.h"

#include <algorithm>
#include <optional>

#include "config/secret.h"
#include "config/value_parsers.h"

namespace jobhost::config {
namespace {

bool is_postgres(std::string_view url) {
    return url.starts_with("postgresql://") || url.starts_with("postgres://");
}

constexpr std::size_t kLongestSchema = 50;

/// A name that needs no quotes in SQL, so that people can write it in theirs.
Parsed<std::string> schema_name(const Scalar& scalar) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
    const auto is_fit = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
    const std::string& text = scalar.text;
    const bool fits = !text.empty() && text.size() <= kLongestSchema && is_letter(text.front()) &&
                      std::ranges::all_of(text, is_fit) && !text.starts_with("pg_");
    if (fits) return text;
    return tl::unexpected<std::string>(
        "must be a name of at most 50 small letters, digits and _, that begins with no digit and "
        "not with pg_" +
        shown_as(scalar));
}

}  // namespace

std::string shown_url(const StorageConfig& storage) {
    if (!is_postgres(storage.url)) return storage.url;
    std::string url = storage.url.substr(0, storage.url.find('?'));
    const std::size_t user = url.find("//") + 2;
    // A password may hold any character but / behind it, @ included.
    const std::size_t end = url.substr(0, url.find('/', user)).rfind('@');
    if (end == std::string::npos) return url;
    const std::size_t colon = url.find(':', user);
    if (colon < end) url.erase(colon, end - colon);
    return url;
}

tl::expected<std::string, std::string> sqlite_path(std::string_view url,
                                                   const std::filesystem::path& base_dir) {
    constexpr std::string_view kScheme = "sqlite:";
    if (!url.starts_with(kScheme)) {
        return tl::unexpected<std::string>(
            "must begin with sqlite: or postgresql://, such as sqlite:///var/lib/jobhost/jobs.db "
            "or "
            "postgresql://jobs@db.internal/jobs");
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

    map.read("schema", into.schema, schema_name);
    map.read("listen", into.listen, boolean());

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

    if (is_postgres(*url)) {
        into.url = *std::move(url);
        return;
    }
    auto path = sqlite_path(*url, base_dir);
    if (!path) return map.error(key, path.error());
    into.path = *std::move(path);
    into.url = "sqlite://" + into.path;
}

}  // namespace jobhost::config
