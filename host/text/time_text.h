#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "storage/clock.h"

namespace jobhost {

/// `2026-02-28T23:59:59.000001Z`: UTC, always with microseconds, as every interface shows times.
std::string time_text(TimePoint time);

/// Reads a time as RFC 3339 writes it, of the years 1970 to 9999: with an offset or `Z`, digits
/// after the microseconds dropped. The error is a sentence that begins with "must".
tl::expected<TimePoint, std::string> parse_time(std::string_view text);

}  // namespace jobhost
