#include "config/map_reader.h"

#include <algorithm>
#include <map>
#include <optional>

#include "config/config_loader.h"
#include "config/encoding.h"
#include "config/suggestion.h"

namespace jobhost::config {
namespace {

std::string join(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
}

/// Every key's name with the shortest path to it from the root.
std::map<std::string, std::string> paths_by_name() {
    std::map<std::string, std::string> paths;
    for (const std::string& path : known_keys()) {
        const std::string name = path.substr(path.rfind('.') + 1);  // npos + 1 is 0
        std::string& shortest = paths.try_emplace(name, path).first->second;
        if (path.size() < shortest.size()) shortest = path;
    }
    return paths;
}

/// A key that is known in another place than the one where it stands.
std::optional<std::string> nearest_elsewhere(const std::string& key) {
    static const std::map<std::string, std::string> paths = paths_by_name();
    std::set<std::string> names;
    for (const auto& [name, path] : paths) names.insert(name);
    const auto name = nearest(key, names);
    if (!name) return std::nullopt;
    return paths.at(*name);
}

std::string unknown_key_sentence(const std::string& key, const std::set<std::string>& known) {
    if (const std::string meant = did_you_mean(key, known); !meant.empty()) {
        return "unknown key" + meant;
    }
    if (const auto meant = nearest_elsewhere(key)) {
        return "unknown key here; did you mean " + quote(*meant) + "?";
    }
    std::string list;
    for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
    return "unknown key; known here: " + list;
}

}  // namespace

MapReader::MapReader(const YamlNode* node, Place place, std::string path, std::string pattern,
                     ReadContext& context)
    : node_(node),
      place_(place),
      path_(std::move(path)),
      pattern_(std::move(pattern)),
      context_(context) {}

void MapReader::section(const std::string& key, const ReadSection& read_section) {
    const YamlNode* node = take(key);
    if (node == nullptr && !context_.is_recording()) return;
    const YamlEntry* entry = find(key);
    read_child(node, entry == nullptr ? place_ : entry->place, path_of(key), pattern_of(key),
               read_section);
}

std::optional<std::size_t> MapReader::each_in_list(const std::string& key,
                                                   const ReadSection& read_item) {
    const std::string pattern = pattern_of(key) + "[]";
    if (context_.is_recording()) read_child(nullptr, place_, path_of(key), pattern, read_item);
    return each_item(key, [&](const YamlNode& item, const std::string& path) {
        read_child(&item, item.place, path, pattern, read_item);
    });
}

void MapReader::each_in_map(const std::string& key, const std::string& placeholder,
                            const ReadEntry& read_entry) {
    const std::string pattern = pattern_of(key) + "." + placeholder;
    const auto read_one = [&](const std::string& name, MapReader& map) { read_entry(name, map); };
    section(key, [&](MapReader& map) {
        if (context_.is_recording()) {
            context_.note_key(pattern);
            read_child(nullptr, place_, path_of(key), pattern,
                       [&](MapReader& entry) { read_one(placeholder, entry); });
        }
        if (map.node_ == nullptr) return;
        for (const YamlEntry& entry : map.node_->entries) {
            map.asked_.insert(entry.key);
            read_child(entry.value.get(), entry.place, map.path_of(entry.key), pattern,
                       [&](MapReader& value) { read_one(entry.key, value); });
        }
    });
}

void MapReader::require(const std::string& key) {
    if (!has(key)) error("needs " + quote(key));
}

void MapReader::refuse(const std::string& key, const std::string& sentence) {
    const YamlEntry* entry = find(key);
    if (entry == nullptr) return;
    asked_.insert(key);
    context_.error(entry->place, path_of(key), sentence);
}

void MapReader::error(const std::string& key, const std::string& sentence) {
    const YamlEntry* entry = find(key);
    context_.error(entry == nullptr ? place_ : entry->value->place, path_of(key), sentence);
}

void MapReader::error(const std::string& sentence) {
    context_.error(place_, path_, sentence);
}

std::string MapReader::where(const std::string& key) const {
    const YamlEntry* entry = find(key);
    return context_.where(entry == nullptr ? place_ : entry->place);
}

std::string MapReader::path_of(const std::string& key) const {
    return join(path_, key);
}

std::string MapReader::pattern_of(const std::string& key) const {
    return join(pattern_, key);
}

void MapReader::finish() {
    if (node_ == nullptr) return;
    for (const YamlEntry& entry : node_->entries) {
        if (asked_.contains(entry.key)) continue;
        context_.error(entry.place, path_of(entry.key), unknown_key_sentence(entry.key, asked_));
    }
}

std::optional<std::size_t> MapReader::each_item(const std::string& key, const ReadItem& read_item) {
    const YamlNode* list = take(key);
    if (list == nullptr) return std::nullopt;
    if (list->kind != YamlNode::Kind::kSequence) {
        context_.error(list->place, path_of(key), "must be a list");
        return std::nullopt;
    }
    std::size_t index = 0;
    for (const YamlNodePtr& item : list->items) {
        read_item(*item, path_of(key) + "[" + std::to_string(index++) + "]");
    }
    return index;
}

const YamlEntry* MapReader::find(const std::string& key) const {
    if (node_ == nullptr) return nullptr;
    const auto found = std::ranges::find(node_->entries, key, &YamlEntry::key);
    return found == node_->entries.end() ? nullptr : &*found;
}

const YamlNode* MapReader::take(const std::string& key) {
    asked_.insert(key);
    context_.note_key(pattern_of(key));
    const YamlEntry* entry = find(key);
    return entry == nullptr ? nullptr : entry->value.get();
}

void MapReader::read_child(const YamlNode* node, Place place, const std::string& path,
                           const std::string& pattern, const ReadSection& read_section) {
    const bool is_empty = node != nullptr && node->kind == YamlNode::Kind::kNull;
    if (node != nullptr && !is_empty && node->kind != YamlNode::Kind::kMap) {
        return context_.error(node->place, path, "must be a mapping of keys to values");
    }
    MapReader child(node, place, path, pattern, context_);
    read_section(child);
    child.finish();
}

}  // namespace jobhost::config
