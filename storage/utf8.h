#pragma once

#include <cstddef>
#include <string_view>

namespace jobhost {

/// Bytes (1 to 4) of the UTF-8 character that `text` begins with; 0 when it begins with none:
/// empty, cut off, overlong, a surrogate, or above U+10FFFF.
std::size_t utf8_sequence(std::string_view text);

bool is_utf8(std::string_view text);

}  // namespace jobhost
