#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jobhost {

/// `text` for a line of a log or a terminal: control characters (C0, DEL, C1), line breaks
/// included, bytes that are not UTF-8, and characters that turn the direction of the text or break
/// the line (U+202E and its like) become escapes (`\n`, `\t`, `\x1b`, `\u202e`); what is longer
/// than `max_bytes` is cut and says so. So no text can forge a line or steer a terminal.
std::string printable(std::string_view text, std::size_t max_bytes = 16 * 1024);

/// A JSON document for a terminal: the same characters inside its strings become `\uXXXX`, which
/// means the same to who reads it as JSON. Line breaks and blanks between values stay.
std::string printable_json(std::string_view json);

}  // namespace jobhost
