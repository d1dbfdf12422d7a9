#include "config/decimal.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace jobhost::config {
namespace {

bool is_whole(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, is_digit) &&
           (text.size() == 1 || text.front() != '0');
}

}  // namespace

std::optional<std::int64_t> parse_decimal(std::string_view text) {
    if (!is_whole(text)) return std::nullopt;
    std::int64_t number = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
    if (result.ec != std::errc()) return kHugeNumber;
    return std::min(number, kHugeNumber);
}

std::optional<double> parse_decimal_fraction(std::string_view text) {
    const std::size_t point = text.find('.');
    if (!is_whole(text.substr(0, point))) return std::nullopt;
    if (point != std::string_view::npos) {
        const std::string_view digits = text.substr(point + 1);
        if (digits.empty() || !std::ranges::all_of(digits, is_digit)) return std::nullopt;
    }
    double number = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
    if (result.ec != std::errc()) return std::nullopt;
    return number;
}

}  // namespace jobhost::config
