#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/yaml_tree.h"

namespace jobhost::config {

/// The text of a file by position. The YAML library counts lines from 0 and columns in bytes.
class YamlSource {
public:
    /// `text` must outlive this.
    explicit YamlSource(std::string_view text);

    [[nodiscard]] Place place(int line, int byte_column) const;
    [[nodiscard]] Place place_of_offset(std::size_t offset) const;
    [[nodiscard]] std::string_view line(int line) const;

    /// What stands at a node's place, after its anchor and tag.
    [[nodiscard]] std::string_view content_at(int line, int byte_column) const;

private:
    [[nodiscard]] std::size_t offset(int line, int byte_column) const;

    std::string_view text_;
    std::vector<std::size_t> line_starts_;
    /// UTF-8 bytes that continue a character, before each offset: places in a long line stay cheap.
    std::vector<std::uint32_t> continuations_before_;
};

/// How a plain null is written at the front of `content`: "~", "null", "Null", "NULL", or "" when
/// nothing is (the library then points at whatever comes next). `is_key` tells a key `null:` from
/// an empty value before one.
std::string_view written_null(std::string_view content, bool is_key);

/// False when `content` begins with a quote that is not closed before the end of the text. The YAML
/// library takes such a text up to the end of the file without a word.
bool quotes_are_closed(std::string_view content);

/// The offset of the last thing before `offset` that is neither blank nor a comment; `offset`
/// itself when there is none.
std::size_t last_mark_before(std::string_view text, std::size_t offset);

}  // namespace jobhost::config
