#include "config/names.h"

#include <algorithm>

#include "config/decimal.h"
#include "config/encoding.h"

namespace jobhost::config {
namespace {

bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
           c == '.' || c == '-' || c == ':' || c == '/';
}

}  // namespace

std::optional<std::string> name_problem(std::string_view name) {
    if (name.empty()) return "must not be empty";
    if (name.size() > kLongestName) {
        return "must be a name of at most " + std::to_string(kLongestName) + " characters";
    }
    if (!std::ranges::all_of(name, is_name_character)) {
        return "must be a name of letters, digits and _ . - : / only, not " + quote(name);
    }
    return std::nullopt;
}

std::optional<std::string> error_name_problem(std::string_view name) {
    if (name.empty()) return "must not be empty";
    if (name.size() > kLongestErrorName) {
        return "must be the name of a C++ type, of at most " + std::to_string(kLongestErrorName) +
               " characters";
    }
    const bool has_control = std::ranges::any_of(
        name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
    if (has_control || name.front() == ' ' || name.back() == ' ') {
        return "must be the name of a C++ type, without spaces around it, not " + quote(name);
    }
    return std::nullopt;
}

}  // namespace jobhost::config
