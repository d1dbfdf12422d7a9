#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace jobhost::config {

/// A whole decimal number that is not negative: digits only, no leading zero, no sign, no
/// separators. Nothing for any other text. A number above `kHugeNumber` is answered as that.
inline constexpr std::int64_t kHugeNumber = 1'000'000'000'000'000;
std::optional<std::int64_t> parse_decimal(std::string_view text);

/// Digits, and maybe a point with digits after it: "2", "1.5". No sign, exponent, `.inf` or hex.
std::optional<double> parse_decimal_fraction(std::string_view text);

/// True for 0..9 whatever the locale says.
constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace jobhost::config
