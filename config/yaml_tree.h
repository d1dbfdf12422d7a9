#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace jobhost::config {

/// Counted from 1, columns in characters.
struct Place {
    int line = 1;
    int column = 1;

    auto operator<=>(const Place&) const = default;
};

struct YamlNode;
using YamlNodePtr = std::shared_ptr<const YamlNode>;

struct YamlEntry {
    std::string key = {};
    Place place = {};
    YamlNodePtr value = {};
};

/// One value as it stands in the file. A tree of our own, because the YAML library's forgets what a
/// strict reader needs: quotes, repeated keys, the difference between `null` and nothing.
struct YamlNode {
    enum class Kind { kNull, kScalar, kSequence, kMap };

    Kind kind = Kind::kNull;
    std::string text = {};  ///< of a scalar; of a null as written: "", "~", "null"
    bool quoted = false;    ///< in quotes, or a block scalar
    Place place = {};       ///< of an empty value in a mapping: of its key
    std::vector<YamlNodePtr> items = {};
    std::vector<YamlEntry> entries = {};  ///< in the order of the file, no key twice
    std::size_t depth = 1;                ///< levels of nesting, aliases followed
    std::size_t weight = 1;               ///< bytes, roughly, with each alias written out
};

struct YamlProblem {
    Place place = {};
    std::string message = {};
};

struct YamlFile {
    YamlNodePtr root = {};  ///< not set when the text cannot be read as YAML at all
    std::vector<YamlProblem> problems = {};
};

/// Limits: 1 MiB of text, 100 levels of nesting, 16 MiB once aliases are written out. A repeated
/// key, a merge key, a key that is not text, a tag and a second document are problems beside the
/// tree; bad syntax, and text that is not UTF-8, is one problem without a tree.
YamlFile parse_yaml(std::string_view text);

}  // namespace jobhost::config
