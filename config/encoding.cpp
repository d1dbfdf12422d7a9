#include "config/encoding.h"

#include <array>
#include <cstdio>

namespace jobhost::config {
namespace {

constexpr std::size_t kLongestQuote = 60;

bool is_control(char32_t code) {
    return code < 0x20 || code == 0x7F || (code >= 0x80 && code < 0xA0 && code != 0x85);
}

std::string control_sentence(char32_t code) {
    std::array<char, 64> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "control character U+%04X is not allowed here",
                  static_cast<unsigned>(code));
    return buffer.data();
}

}  // namespace

Character first_character(std::string_view text) {
    if (text.empty()) return {};
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return {1, lead};

    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
    char32_t code = lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80) return {};
        code = (code << 6U) | (byte(i) & 0x3FU);
    }
    const char32_t least = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0x80;
    if (code < least || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {};
    return {length, code};
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = first_character(text).length;
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

std::optional<EncodingProblem> check_encoding(std::string_view text) {
    std::size_t offset = 0;
    while (offset < text.size()) {
        const Character next = first_character(text.substr(offset));
        if (next.length == 0) return EncodingProblem{offset, "the file is not UTF-8 here"};
        const bool line_end =
            next.code == '\n' || (next.code == '\r' && text.substr(offset, 2) == "\r\n");
        if (is_control(next.code) && next.code != '\t' && !line_end) {
            return EncodingProblem{offset, control_sentence(next.code)};
        }
        offset += next.length;
    }
    return std::nullopt;
}

std::string quote(std::string_view text) {
    std::string quoted = "`";
    while (!text.empty()) {
        const Character next = first_character(text);
        const std::size_t length = next.length == 0 ? 1 : next.length;
        if (quoted.size() + length > kLongestQuote) {
            quoted += "…";
            break;
        }
        if (next.length == 0 || is_control(next.code)) {
            quoted += '?';
        } else {
            quoted += text.substr(0, length);
        }
        text.remove_prefix(length);
    }
    return quoted + "`";
}

}  // namespace jobhost::config
