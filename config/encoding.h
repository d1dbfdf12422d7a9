#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace jobhost::config {

/// The length in bytes of the UTF-8 character at the front of `text`, and its code point. Length 0:
/// not UTF-8 (overlong forms and surrogates included) or no text.
struct Character {
    std::size_t length = 0;
    char32_t code = 0;
};
Character first_character(std::string_view text);

bool is_utf8(std::string_view text);

/// Why a text cannot be a configuration file: the byte where it goes wrong, and a sentence.
struct EncodingProblem {
    std::size_t offset = 0;
    std::string message = {};
};

/// A file must be UTF-8 without control characters other than tab and line ends (LF or CRLF).
std::optional<EncodingProblem> check_encoding(std::string_view text);

/// `text` between backquotes for a message: at most 60 bytes of it, control characters as "?".
std::string quote(std::string_view text);

}  // namespace jobhost::config
