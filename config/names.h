#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace jobhost::config {

inline constexpr std::size_t kLongestName = 128;
inline constexpr std::size_t kLongestErrorName = 512;

/// The one rule for names of services, nodes, queues, job types and delay functions: 1 to 128 of
/// the ASCII letters, digits and `_` `.` `-` `:` `/`, as for stored jobs. Nothing is cut or
/// trimmed. Answers what is wrong as a sentence that begins with "must".
std::optional<std::string> name_problem(std::string_view name);

/// Names of C++ types (`do_not_retry`, `on`): 1 to 512 bytes without control characters, no space
/// at either end.
std::optional<std::string> error_name_problem(std::string_view name);

}  // namespace jobhost::config
