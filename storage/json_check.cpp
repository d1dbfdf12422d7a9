#include <bitset>
#include <cstdint>
#include <cstring>

#include "storage/enqueue_rules.h"
#include "storage/json_text.h"
#include "storage/utf8.h"

namespace jobhost {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/// True when one of eight bytes of a string needs a closer look: a quote, a backslash, a control
/// character, or the beginning of a character beyond ASCII.
bool needs_look(const char* bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    constexpr std::uint64_t kOnes = 0x0101010101010101U;
    constexpr std::uint64_t kHigh = 0x8080808080808080U;
    const std::uint64_t quote = word ^ (kOnes * '"');
    const std::uint64_t backslash = word ^ (kOnes * '\\');
    const std::uint64_t found = ((quote - kOnes) & ~quote) | ((backslash - kOnes) & ~backslash) |
                                (word - kOnes * 0x20U) | word;
    return (found & kHigh) != 0;
}

/// One pass over the text with a bit per open container, so that no text can exhaust the stack.
class Checker {
public:
    Checker(std::string_view text, JsonDepth depth)
        : text_(text), max_depth_(kMaxJsonDepth + (depth == JsonDepth::kMembers ? 1 : 0)) {}

    std::optional<JsonMistake> check() {
        Step step = text_.starts_with(kByteOrderMark) ? fail("the text has a byte order mark")
                                                      : Step::kValueNext;
        while (step != Step::kFailed) {
            if (step == Step::kValueNext) {
                step = value();
            } else if (depth_ > 0) {
                step = after_value();
            } else {
                skip_space();
                if (at_end()) return std::nullopt;
                step = fail("expected the end of the text");
            }
        }
        return mistake_;
    }

private:
    enum class Step { kValueNext, kValueEnded, kFailed };

    Step fail(const char* what) { return fail(what, pos_); }
    Step fail(const char* what, std::size_t offset) {
        mistake_ = {.offset = offset, .what = what};
        return Step::kFailed;
    }

    bool at_end() const { return pos_ == text_.size(); }
    bool at(char c) const { return pos_ < text_.size() && text_[pos_] == c; }
    void skip_space() {
        while (!at_end() && is_space(text_[pos_])) ++pos_;
    }

    Step value() {
        skip_space();
        if (at_end()) return fail("expected a value but the text ends");
        switch (text_[pos_]) {
            case '{': return open(true);
            case '[': return open(false);
            case '"': return string();
            case 't': return literal("true");
            case 'f': return literal("false");
            case 'n': return literal("null");
            default: return number();
        }
    }

    Step open(bool object) {
        if (depth_ == max_depth_) return fail("nested deeper than 256");
        is_object_[static_cast<std::size_t>(depth_++)] = object;
        ++pos_;
        skip_space();
        if (at(object ? '}' : ']')) return close();
        return object ? key() : Step::kValueNext;
    }

    Step close() {
        ++pos_;
        --depth_;
        return Step::kValueEnded;
    }

    Step key() {
        skip_space();
        if (!at('"')) return fail("expected a key in quotes");
        if (string() == Step::kFailed) return Step::kFailed;
        skip_space();
        if (!at(':')) return fail("expected ':'");
        ++pos_;
        return Step::kValueNext;
    }

    Step after_value() {
        const bool object = is_object_[static_cast<std::size_t>(depth_ - 1)];
        skip_space();
        if (at(object ? '}' : ']')) return close();
        if (!at(',')) return fail(object ? "expected ',' or '}'" : "expected ',' or ']'");
        ++pos_;
        return object ? key() : Step::kValueNext;
    }

    Step literal(std::string_view word) {
        if (text_.substr(pos_, word.size()) != word) return fail("expected a value");
        pos_ += word.size();
        return Step::kValueEnded;
    }

    Step number() {
        const std::size_t start = pos_;
        if (at('-')) ++pos_;
        if (at('0')) {
            ++pos_;
        } else if (!digits()) {
            return fail("expected a value", start);
        }
        if (at('.')) {
            ++pos_;
            if (!digits()) return fail("expected a digit");
        }
        if (at('e') || at('E')) {
            ++pos_;
            if (at('+') || at('-')) ++pos_;
            if (!digits()) return fail("expected a digit");
        }
        return Step::kValueEnded;
    }

    bool digits() {
        const std::size_t start = pos_;
        while (!at_end() && is_digit(text_[pos_])) ++pos_;
        return pos_ > start;
    }

    Step string() {
        const std::size_t start = pos_++;
        for (;;) {
            while (pos_ + 8 <= text_.size() && !needs_look(text_.data() + pos_)) pos_ += 8;
            if (at_end()) return fail("a string without its closing quote", start);
            const auto byte = static_cast<unsigned char>(text_[pos_]);
            if (byte == '"') {
                ++pos_;
                return Step::kValueEnded;
            }
            if (byte < 0x20) return fail("a control character in a string");
            if (byte == '\\') {
                if (escape() == Step::kFailed) return Step::kFailed;
            } else {
                const std::size_t length = utf8_sequence(text_.substr(pos_, 4));
                if (length == 0) return fail("invalid UTF-8");
                pos_ += length;
            }
        }
    }

    Step escape() {
        const std::string_view rest = text_.substr(pos_, 6);
        if (rest.size() >= 2 && rest[1] == 'u') {
            constexpr std::string_view kHex = "0123456789abcdefABCDEF";
            if (rest.size() < 6 || rest.find_first_not_of(kHex, 2) != std::string_view::npos) {
                return fail("expected four hexadecimal digits after \\u");
            }
            pos_ += 6;
            return Step::kValueEnded;
        }
        constexpr std::string_view kEscapes = "\"\\/bfnrt";
        if (rest.size() < 2 || kEscapes.find(rest[1]) == std::string_view::npos) {
            return fail("an unknown escape");
        }
        pos_ += 2;
        return Step::kValueEnded;
    }

    const std::string_view text_;
    const int max_depth_;
    std::size_t pos_ = 0;
    int depth_ = 0;
    std::bitset<kMaxJsonDepth + 1> is_object_;
    JsonMistake mistake_;
};

}  // namespace

std::string JsonMistake::sentence() const {
    return what + " at byte " + std::to_string(offset);
}

std::optional<JsonMistake> find_json_mistake(std::string_view text, JsonDepth depth) {
    return Checker(text, depth).check();
}

std::optional<std::string> check_json(std::string_view text) {
    const auto mistake = find_json_mistake(text);
    if (!mistake) return std::nullopt;
    return mistake->sentence();
}

}  // namespace jobhost
