#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jobhost {

/// `text` for a line of a log or a terminal: control characters (C0, DEL, C1), line breaks
/// included, and bytes that are not UTF-8 become escapes (`\n`, `\t`, `\x1b`), and what is longer
/// than `max_bytes` is cut and says so. So no text can forge a line or steer a terminal.
std::string printable(std::string_view text, std::size_t max_bytes = 16 * 1024);

}  // namespace jobhost
