#include "config/yaml_source.h"

#include <algorithm>
#include <array>

namespace jobhost::config {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

std::string_view without_blanks_and_comments(std::string_view text) {
    for (;;) {
        text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
        if (text.empty() || text.front() != '#') return text;
        text.remove_prefix(std::min(text.find('\n'), text.size()));
    }
}

}  // namespace

YamlSource::YamlSource(std::string_view text) : text_(text), line_starts_{0} {
    continuations_before_.reserve(text.size() + 1);
    std::uint32_t continuations = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        continuations_before_.push_back(continuations);
        if (text[i] == '\n') line_starts_.push_back(i + 1);
        if ((static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80) ++continuations;
    }
    continuations_before_.push_back(continuations);
}

std::size_t YamlSource::offset(int line, int byte_column) const {
    const auto index = static_cast<std::size_t>(std::max(line, 0));
    if (index >= line_starts_.size()) return text_.size();
    return std::min(line_starts_[index] + static_cast<std::size_t>(std::max(byte_column, 0)),
                    text_.size());
}

Place YamlSource::place(int line, int byte_column) const {
    return place_of_offset(offset(line, byte_column));
}

Place YamlSource::place_of_offset(std::size_t offset) const {
    const auto next_line = std::ranges::upper_bound(line_starts_, offset);
    const std::size_t start = *(next_line - 1);
    const std::size_t continuations = continuations_before_[offset] - continuations_before_[start];
    return {static_cast<int>(next_line - line_starts_.begin()),
            static_cast<int>(offset - start - continuations) + 1};
}

std::string_view YamlSource::line(int line) const {
    const std::string_view rest = text_.substr(offset(line, 0));
    return rest.substr(0, rest.find('\n'));
}

std::string_view YamlSource::content_at(int line, int byte_column) const {
    std::string_view content = text_.substr(offset(line, byte_column));
    while (!content.empty() && (content.front() == '&' || content.front() == '!')) {
        content.remove_prefix(std::min(content.find_first_of(kBlank), content.size()));
        content = without_blanks_and_comments(content);
    }
    return content;
}

std::string_view written_null(std::string_view content, bool is_key) {
    constexpr std::array<std::string_view, 4> kForms{"~", "null", "Null", "NULL"};
    for (const std::string_view form : kForms) {
        if (!content.starts_with(form)) continue;
        const std::string_view rest = content.substr(form.size());
        if (rest.empty() || kBlank.find(rest.front()) != std::string_view::npos ||
            rest.front() == ',' || rest.front() == ']' || rest.front() == '}') {
            const std::size_t next = rest.find_first_not_of(" \t");
            const bool key_follows = next != std::string_view::npos && rest[next] == ':';
            if (is_key || !key_follows) return form;
        }
        if (is_key && rest.front() == ':') return form;
    }
    return "";
}

bool quotes_are_closed(std::string_view content) {
    if (content.empty() || (content.front() != '"' && content.front() != '\'')) return true;
    const char mark = content.front();
    for (std::size_t i = 1; i < content.size(); ++i) {
        if (mark == '"' && content[i] == '\\') {
            ++i;
        } else if (content[i] == mark) {
            if (mark == '"' || content.substr(i + 1, 1) != "'") return true;
            ++i;
        }
    }
    return false;
}

std::size_t last_mark_before(std::string_view text, std::size_t offset) {
    std::string_view before = text.substr(0, offset);
    while (!before.empty()) {
        const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
        std::string_view line = before.substr(line_start);
        if (const std::size_t comment = line.find(" #"); comment != std::string_view::npos) {
            line = line.substr(0, comment);
        }
        if (line.starts_with('#')) line = {};
        const std::size_t last = line.find_last_not_of(kBlank);
        if (last != std::string_view::npos) return line_start + last;
        if (line_start == 0) break;
        before = before.substr(0, line_start - 1);
    }
    return offset;
}

}  // namespace jobhost::config
