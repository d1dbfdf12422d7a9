#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jobhost {

inline constexpr std::size_t kMaxErrorMessageBytes = 16 * 1024;
inline constexpr std::size_t kMaxStackBytes = 64 * 1024;
inline constexpr std::size_t kMaxErrorBytesOfJob = 256 * 1024;
inline constexpr std::size_t kMaxErrorsOfJob = 50;
inline constexpr std::size_t kMaxLogLines = 200;
inline constexpr std::size_t kMaxLineBytes = 4 * 1024;  // a log line, a progress text, a reason

/// A text that a job made, as every engine can store it: bytes that are not UTF-8, and NUL, become
/// `\xNN`; what is longer than `max_bytes` (at least 64) is cut and ends with `... N bytes cut`.
/// Never for inputs: those stay as they are.
std::string storable_text(std::string_view text, std::size_t max_bytes);

}  // namespace jobhost
