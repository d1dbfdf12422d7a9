#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "config/config.h"

namespace jobhost::config {

/// 100 years: sums of a time of this century and a few durations stay far from any overflow.
inline constexpr Duration kLongestDuration = std::chrono::hours(24 * 36'500);

/// "500ms", "30s", "5m", "1h", "7d", "HH:MM:SS" (two or more digits of hours), or "0" alone. One
/// unit, whole numbers, no leading zeros before a unit. The error is a sentence that begins with
/// "must".
tl::expected<Duration, std::string> parse_duration(std::string_view text);

/// The shortest form that parse_duration reads back: "90s", "2h", "0s"; below a millisecond "…us".
std::string to_string(Duration duration);

}  // namespace jobhost::config
