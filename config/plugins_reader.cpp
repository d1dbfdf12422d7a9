#include "config/plugins_reader.h"

#include <algorithm>
#include <map>
#include <string>

#include "config/decimal.h"
#include "config/value_parsers.h"
#include "config/yaml_to_json.h"

namespace jobhost::config {
namespace {

Parsed<std::string> parse_sha256(const Scalar& scalar) {
    std::string digits = scalar.text;
    for (char& c : digits) {
        if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
    }
    const bool is_hash = digits.size() == 64 && std::ranges::all_of(digits, [](char c) {
                             return is_digit(c) || (c >= 'a' && c <= 'f');
                         });
    if (!is_hash)
        return tl::unexpected<std::string>("must be 64 hexadecimal digits" + shown_as(scalar));
    return digits;
}

Parsed<Isolation> parse_isolation(const Scalar& scalar) {
    if (scalar.text == "thread") return Isolation::kThread;
    if (scalar.text == "process") {
        return tl::unexpected<std::string>(
            "process is not supported yet by this version; use thread");
    }
    return tl::unexpected<std::string>("must be thread" + shown_as(scalar));
}

void read_settings(MapReader& map, std::string& into) {
    const YamlNode* settings = map.subtree("settings");
    if (settings == nullptr || settings->kind == YamlNode::Kind::kNull) return;
    if (settings->kind != YamlNode::Kind::kMap) {
        return map.error("settings", "must be a mapping of keys to values");
    }
    into = yaml_to_json(*settings, map.path_of("settings"), map.context());
}

}  // namespace

void read_plugins(MapReader& map, PluginsConfig& into) {
    const std::filesystem::path& base_dir = map.context().base_dir();
    map.read_list("directories", into.directories, path(PathKind::kFolder, base_dir));
    if (map.has("directories")) into.directories_where = map.where("directories");
    map.read("allow_insecure", into.allow_insecure, boolean());

    std::map<std::string, std::string, std::less<>> first_place;
    map.each_in_list("load", [&](MapReader& item) {
        PluginConfig plugin{.where = item.where()};
        item.require("path");
        item.read("path", plugin.path, path(PathKind::kFile, base_dir));
        item.read("sha256", plugin.sha256, parse_sha256);
        item.read("isolation", plugin.isolation, parse_isolation);
        read_settings(item, plugin.settings_json);
        const auto [first, is_new] = first_place.try_emplace(plugin.path, plugin.where);
        if (!plugin.path.empty() && !is_new) {
            item.error("path", "the plugin is already listed at " + first->second);
        }
        into.load.push_back(std::move(plugin));
    });
}

}  // namespace jobhost::config
