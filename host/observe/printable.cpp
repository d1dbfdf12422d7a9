#include "host/observe/printable.h"

#include <algorithm>

#include "storage/utf8.h"

namespace jobhost {
namespace {

void append_escaped(std::string& out, char byte) {
    constexpr char kDigits[] = "0123456789abcdef";
    const auto value = static_cast<unsigned char>(byte);
    switch (byte) {
        case '\n': out += "\\n"; return;
        case '\r': out += "\\r"; return;
        case '\t': out += "\\t"; return;
        default:
            out += "\\x";
            out += kDigits[value >> 4];
            out += kDigits[value & 15];
    }
}

/// The character's number; of a whole UTF-8 sequence of two or three bytes, else 0.
char32_t code_point(std::string_view sequence) {
    const auto byte = [&](std::size_t i) {
        return static_cast<char32_t>(static_cast<unsigned char>(sequence[i]));
    };
    if (sequence.size() == 2) return (byte(0) & 0x1f) << 6 | (byte(1) & 0x3f);
    if (sequence.size() != 3) return 0;
    return (byte(0) & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
}

/// C1, which some terminals take as the start of a command; what turns the direction of the text;
/// what other programs take for the end of a line.
bool steers(char32_t code) {
    return (code >= 0x80 && code < 0xa0) || code == 0x061c || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

void append_code_point(std::string& out, char32_t code) {
    constexpr char kDigits[] = "0123456789abcdef";
    out += "\\u";
    for (const int shift : {12, 8, 4, 0}) out += kDigits[code >> shift & 15];
}

bool needs_nothing(std::string_view text) {
    return std::ranges::all_of(text, [](char byte) { return byte >= 0x20 && byte < 0x7f; });
}

}  // namespace

std::string printable(std::string_view text, std::size_t max_bytes) {
    const std::size_t left_out = text.size() > max_bytes ? text.size() - max_bytes : 0;
    text = text.substr(0, max_bytes);

    std::string out;
    if (needs_nothing(text)) {
        out = text;
    } else {
        out.reserve(text.size() + 16);
        while (!text.empty()) {
            const std::size_t length = utf8_sequence(text);
            const std::string_view sequence = text.substr(0, std::max<std::size_t>(length, 1));
            const auto first = static_cast<unsigned char>(text.front());
            if (length == 0 || first < 0x20 || first == 0x7f) {
                for (const char byte : sequence) append_escaped(out, byte);
            } else if (const char32_t code = code_point(sequence); steers(code)) {
                append_code_point(out, code);
            } else {
                out += sequence;
            }
            text.remove_prefix(sequence.size());
        }
    }
    if (left_out > 0) out += " … (" + std::to_string(left_out) + " bytes left out)";
    return out;
}

std::string printable_json(std::string_view json) {
    std::string out;
    out.reserve(json.size());
    while (!json.empty()) {
        const std::size_t length = utf8_sequence(json);
        const std::string_view sequence = json.substr(0, std::max<std::size_t>(length, 1));
        const char32_t code = json.front() == 0x7f ? char32_t{0x7f} : code_point(sequence);
        if (code == 0x7f || steers(code)) {
            append_code_point(out, code);
        } else {
            out += sequence;
        }
        json.remove_prefix(sequence.size());
    }
    return out;
}

}  // namespace jobhost
