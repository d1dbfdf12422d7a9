#include "storage/utf8.h"

namespace jobhost {
namespace {

unsigned byte_at(std::string_view text, std::size_t index) {
    return static_cast<unsigned char>(text[index]);
}

bool is_continuation(unsigned byte) {
    return (byte & 0xC0U) == 0x80U;
}

}  // namespace

std::size_t utf8_sequence(std::string_view text) {
    if (text.empty()) return 0;
    const unsigned first = byte_at(text, 0);
    if (first < 0x80) return 1;
    if (first < 0xC2 || first > 0xF4) return 0;  // a continuation, overlong, or too large
    if (text.size() < 2) return 0;
    const unsigned second = byte_at(text, 1);
    if (!is_continuation(second)) return 0;
    if (first < 0xE0) return 2;
    if (first == 0xE0 && second < 0xA0) return 0;  // overlong
    if (first == 0xED && second > 0x9F) return 0;  // a surrogate
    if (text.size() < 3 || !is_continuation(byte_at(text, 2))) return 0;
    if (first < 0xF0) return 3;
    if (first == 0xF0 && second < 0x90) return 0;  // overlong
    if (first == 0xF4 && second > 0x8F) return 0;  // above U+10FFFF
    if (text.size() < 4 || !is_continuation(byte_at(text, 3))) return 0;
    return 4;
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = utf8_sequence(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

}  // namespace jobhost
