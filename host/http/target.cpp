#include "host/http/target.h"

#include <charconv>

namespace jobhost::http {
namespace {

/// `%41` is `A`, and in a query `+` a space.
std::optional<std::string> decoded(std::string_view text, bool plus_is_space) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '+' && plus_is_space) {
            out += ' ';
        } else if (text[i] != '%') {
            out += text[i];
        } else {
            unsigned value = 0;
            const char* begin = text.data() + i + 1;
            if (text.size() - i < 3) return std::nullopt;
            const auto [end, error] = std::from_chars(begin, begin + 2, value, 16);
            if (error != std::errc() || end != begin + 2) return std::nullopt;
            out += static_cast<char>(value);
            i += 2;
        }
    }
    return out;
}

bool read_query(std::string_view text, Request& into) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('&'), text.size());
        const std::string_view part = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (part.empty()) continue;
        const std::size_t equals = std::min(part.find('='), part.size());
        const auto name = decoded(part.substr(0, equals), true);
        const auto value = decoded(part.substr(std::min(equals + 1, part.size())), true);
        if (!name || !value) return false;
        into.query.emplace(*name, *value);
    }
    return true;
}

}  // namespace

bool read_target(std::string_view target, Request& into) {
    if (!target.starts_with('/')) return false;
    const std::size_t question = std::min(target.find('?'), target.size());
    const auto path = decoded(target.substr(0, question), false);
    if (!path || path->find('\0') != std::string::npos) return false;
    into.path = *path;
    return read_query(target.substr(std::min(question + 1, target.size())), into);
}

}  // namespace jobhost::http
