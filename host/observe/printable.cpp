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

/// U+0080 to U+009F: some terminals take them as the start of a command.
bool is_c1(std::string_view sequence) {
    return sequence.size() == 2 && sequence[0] == '\xc2' &&
           static_cast<unsigned char>(sequence[1]) < 0xa0;
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
            if (length == 0 || first < 0x20 || first == 0x7f || is_c1(sequence)) {
                for (const char byte : sequence) append_escaped(out, byte);
            } else {
                out += sequence;
            }
            text.remove_prefix(sequence.size());
        }
    }
    if (left_out > 0) out += " … (" + std::to_string(left_out) + " bytes left out)";
    return out;
}

}  // namespace jobhost
