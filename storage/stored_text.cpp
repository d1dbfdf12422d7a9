#include "storage/stored_text.h"

#include <algorithm>

#include "storage/utf8.h"

namespace jobhost {
namespace {

std::string cut_mark(std::size_t bytes) {
    return "... " + std::to_string(bytes) + " bytes cut";
}

void append_escaped(std::string& out, char c) {
    constexpr std::string_view kHex = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    out += "\\x";
    out += kHex[byte >> 4U];
    out += kHex[byte & 0xFU];
}

/// Appends the character, or the one byte that is none, that `text` begins with; returns its bytes.
std::size_t append_storable(std::string& out, std::string_view text) {
    const std::size_t bytes = utf8_sequence(text);
    if (bytes == 0 || text.front() == '\0') {
        append_escaped(out, text.front());
        return 1;
    }
    out += text.substr(0, bytes);
    return bytes;
}

bool is_storable(std::string_view text) {
    return text.find('\0') == std::string_view::npos && is_utf8(text);
}

}  // namespace

std::string storable_text(std::string_view text, std::size_t max_bytes) {
    if (text.size() <= max_bytes && is_storable(text)) return std::string(text);

    std::string out;
    std::size_t done = 0;
    // The last place where the mark still fits behind what was written.
    const std::size_t room = max_bytes - cut_mark(text.size()).size();
    std::size_t out_at_room = 0;
    std::size_t done_at_room = 0;
    while (done < text.size() && out.size() <= max_bytes) {
        if (out.size() <= room) {
            out_at_room = out.size();
            done_at_room = done;
        }
        done += append_storable(out, text.substr(done));
    }
    if (done == text.size() && out.size() <= max_bytes) return out;
    out.resize(out_at_room);
    return out + cut_mark(text.size() - done_at_room);
}

}  // namespace jobhost
