#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/read_context.h"

namespace jobhost::config {

/// Reads one YAML mapping key by key, collects every error with its place, and in `finish` reports
/// the keys that nobody asked for.
class MapReader {
public:
    using ReadSection = std::function<void(MapReader&)>;
    using ReadEntry = std::function<void(const std::string& key, MapReader&)>;

    /// `node` may be null: a mapping that the file leaves out. `path` is what messages call it,
    /// `pattern` the same with `<type>` for names and `[]` for list items. All references must
    /// outlive this.
    MapReader(const YamlNode* node, Place place, std::string path, std::string pattern,
              ReadContext& context);

    /// Reads one value if the key is there. `parse` takes a Scalar and answers a tl::expected of
    /// the value or a sentence; `into` keeps its content when the key is absent or wrong.
    template <typename Into, typename Parse>
    void read(const std::string& key, Into& into, const Parse& parse) {
        const YamlNode* node = take(key);
        if (node == nullptr) return;
        read_node(*node, path_of(key), parse, [&](auto&& value) { into = std::move(value); });
    }

    /// As `read`, for each item of a list.
    template <typename Item, typename Parse>
    void read_list(const std::string& key, std::vector<Item>& into, const Parse& parse) {
        each_item(key, [&](const YamlNode& node, const std::string& path) {
            read_node(node, path, parse, [&](auto&& value) { into.push_back(std::move(value)); });
        });
    }

    /// A mapping inside this one; an empty value counts as a mapping without keys.
    void section(const std::string& key, const ReadSection& read_section);
    /// A list of mappings. Answers the number of items, wrong ones included; nothing when the key
    /// is absent or no list.
    std::optional<std::size_t> each_in_list(const std::string& key, const ReadSection& read_item);
    /// A mapping whose keys are names of the operator's: `placeholder` stands for them in patterns.
    void each_in_map(const std::string& key, const std::string& placeholder,
                     const ReadEntry& read_entry);
    /// The value as it is; null when the key is absent.
    const YamlNode* subtree(const std::string& key) { return take(key); }

    void require(const std::string& key);
    /// A key that is known elsewhere but has no place here.
    void refuse(const std::string& key, const std::string& sentence);

    [[nodiscard]] bool has(const std::string& key) const { return find(key) != nullptr; }
    /// Reports at the key's value, or at the mapping when the key is absent.
    void error(const std::string& key, const std::string& sentence);
    /// Reports at the mapping itself.
    void error(const std::string& sentence);

    [[nodiscard]] std::string where() const { return context_.where(place_); }
    [[nodiscard]] std::string where(const std::string& key) const;
    [[nodiscard]] std::string path_of(const std::string& key) const;
    [[nodiscard]] ReadContext& context() const { return context_; }

    /// Called for sections and items by the functions above; by the caller for the root.
    void finish();

private:
    template <typename Parse, typename Store>
    void read_node(const YamlNode& node, const std::string& path, const Parse& parse,
                   const Store& store) {
        const auto scalar = context_.scalar(node, path);
        if (!scalar) return;
        auto value = parse(*scalar);
        if (value) {
            store(std::move(*value));
        } else {
            context_.error(node.place, path, value.error());
        }
    }

    using ReadItem = std::function<void(const YamlNode& item, const std::string& path)>;
    std::optional<std::size_t> each_item(const std::string& key, const ReadItem& read_item);
    const YamlEntry* find(const std::string& key) const;
    const YamlNode* take(const std::string& key);
    [[nodiscard]] std::string pattern_of(const std::string& key) const;
    void read_child(const YamlNode* node, Place place, const std::string& path,
                    const std::string& pattern, const ReadSection& read_section);

    const YamlNode* node_;
    Place place_;
    std::string path_;
    std::string pattern_;
    ReadContext& context_;
    std::set<std::string> asked_ = {};
};

}  // namespace jobhost::config
