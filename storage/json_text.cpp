#include "storage/json_text.h"

#include <algorithm>

#include "storage/utf8.h"

namespace jobhost {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/// Walks over a text that is known to be JSON.
class Cutter {
public:
    explicit Cutter(std::string_view text) : text_(text) { skip_space(); }

    std::size_t pos() const { return pos_; }
    char peek() const { return text_[pos_]; }

    /// Steps over one value and the white space behind it.
    std::string_view take_value() {
        const std::size_t start = pos_;
        int depth = 0;
        do {
            const char c = text_[pos_];
            if (c == '"') {
                skip_string();
                continue;
            }
            if (c == '{' || c == '[') ++depth;
            if (c == '}' || c == ']') --depth;
            ++pos_;
        } while (pos_ < text_.size() && (depth > 0 || !ends_scalar(start)));
        const std::string_view value = text_.substr(start, pos_ - start);
        skip_space();
        return value;
    }

    void skip_bytes(std::size_t count) {
        pos_ += count;
        skip_space();
    }

private:
    bool ends_scalar(std::size_t start) const {
        const char first = text_[start];
        if (first == '"' || first == '{' || first == '[') return true;
        const char c = text_[pos_];
        return is_space(c) || c == ',' || c == ']' || c == '}';
    }

    void skip_string() {
        ++pos_;
        while (text_[pos_] != '"') pos_ += text_[pos_] == '\\' ? 2 : 1;
        ++pos_;
    }

    void skip_space() {
        while (pos_ < text_.size() && is_space(text_[pos_])) ++pos_;
    }

    const std::string_view text_;
    std::size_t pos_ = 0;
};

unsigned hex4(std::string_view digits) {
    unsigned value = 0;
    for (const char c : digits.substr(0, 4)) {
        const unsigned digit = is_digit(c) ? static_cast<unsigned>(c - '0')
                                           : static_cast<unsigned>((c | 0x20) - 'a' + 10);
        value = value * 16 + digit;
    }
    return value;
}

void append_utf8(std::string& out, unsigned code) {
    const auto put = [&out](unsigned byte) { out.push_back(static_cast<char>(byte)); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xC0U | code >> 6U);
        put(0x80U | (code & 0x3FU));
    } else if (code < 0x10000) {
        put(0xE0U | code >> 12U);
        put(0x80U | (code >> 6U & 0x3FU));
        put(0x80U | (code & 0x3FU));
    } else {
        put(0xF0U | code >> 18U);
        put(0x80U | (code >> 12U & 0x3FU));
        put(0x80U | (code >> 6U & 0x3FU));
        put(0x80U | (code & 0x3FU));
    }
}

/// Decodes the \u escape that `text` begins with, a pair of surrogates included; returns its
/// length.
std::size_t append_unicode_escape(std::string& out, std::string_view text) {
    constexpr unsigned kReplacement = 0xFFFD;
    const unsigned code = hex4(text.substr(2));
    if (code < 0xD800 || code > 0xDFFF) {
        append_utf8(out, code);
        return 6;
    }
    if (code < 0xDC00 && text.size() >= 12 && text[6] == '\\' && text[7] == 'u') {
        const unsigned low = hex4(text.substr(8));
        if (low >= 0xDC00 && low <= 0xDFFF) {
            append_utf8(out, 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00));
            return 12;
        }
    }
    append_utf8(out, kReplacement);
    return 6;
}

char simple_escape(char c) {
    switch (c) {
        case 'b': return '\b';
        case 'f': return '\f';
        case 'n': return '\n';
        case 'r': return '\r';
        case 't': return '\t';
        default: return c;
    }
}

}  // namespace

std::variant<std::vector<JsonMember>, JsonMistake> json_members(std::string_view text) {
    if (auto mistake = find_json_mistake(text, JsonDepth::kMembers)) return *std::move(mistake);
    Cutter cutter(text);
    if (cutter.peek() != '{') return JsonMistake{cutter.pos(), "expected an object"};
    std::vector<JsonMember> members;
    cutter.skip_bytes(1);
    while (cutter.peek() != '}') {
        JsonMember& member = members.emplace_back();
        member.key_offset = cutter.pos();
        member.key = json_string_value(cutter.take_value()).value_or("");
        cutter.skip_bytes(1);  // the colon
        member.value = cutter.take_value();
        if (cutter.peek() == ',') cutter.skip_bytes(1);
    }
    return members;
}

std::variant<std::vector<std::string_view>, JsonMistake> json_elements(std::string_view text) {
    if (auto mistake = find_json_mistake(text)) return *std::move(mistake);
    Cutter cutter(text);
    if (cutter.peek() != '[') return JsonMistake{cutter.pos(), "expected an array"};
    std::vector<std::string_view> elements;
    cutter.skip_bytes(1);
    while (cutter.peek() != ']') {
        elements.push_back(cutter.take_value());
        if (cutter.peek() == ',') cutter.skip_bytes(1);
    }
    return elements;
}

const JsonMember* find_repeated_key(const std::vector<JsonMember>& members) {
    std::vector<const JsonMember*> sorted;
    for (const JsonMember& member : members) sorted.push_back(&member);
    std::ranges::stable_sort(sorted, {},
                             [](const JsonMember* m) -> const std::string& { return m->key; });
    const JsonMember* first = nullptr;
    for (std::size_t i = 1; i < sorted.size(); ++i) {
        if (sorted[i]->key != sorted[i - 1]->key) continue;
        if (first == nullptr || sorted[i]->key_offset < first->key_offset) first = sorted[i];
    }
    return first;
}

std::optional<std::string> json_string_value(std::string_view json) {
    if (json.size() < 2 || json.front() != '"') return std::nullopt;
    std::string_view rest = json.substr(1, json.size() - 2);
    std::string out;
    out.reserve(rest.size());
    while (!rest.empty()) {
        const std::size_t plain = std::min(rest.find('\\'), rest.size());
        out.append(rest.substr(0, plain));
        rest.remove_prefix(plain);
        if (rest.size() < 2) break;
        if (rest[1] == 'u') {
            rest.remove_prefix(append_unicode_escape(out, rest));
        } else {
            out.push_back(simple_escape(rest[1]));
            rest.remove_prefix(2);
        }
    }
    return out;
}

void append_json_string(std::string& out, std::string_view text) {
    constexpr std::string_view kHex = "0123456789abcdef";
    out.push_back('"');
    while (!text.empty()) {
        const auto byte = static_cast<unsigned char>(text.front());
        std::size_t length = 1;
        if (byte == '"' || byte == '\\') {
            out.push_back('\\');
            out.push_back(text.front());
        } else if (byte == '\n') {
            out.append("\\n");
        } else if (byte < 0x20 || byte == 0x7F) {
            out.append("\\u00");
            out.push_back(kHex[byte >> 4U]);
            out.push_back(kHex[byte & 0xFU]);
        } else if (length = utf8_sequence(text); length > 0) {
            out.append(text.substr(0, length));
        } else {
            append_utf8(out, 0xFFFD);
            length = 1;
        }
        text.remove_prefix(length);
    }
    out.push_back('"');
}

std::string json_string(std::string_view text) {
    std::string out;
    out.reserve(text.size() + 2);
    append_json_string(out, text);
    return out;
}

}  // namespace jobhost
