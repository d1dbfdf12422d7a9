#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace jobhost::config {

/// "64KiB", "1MiB", "2GiB" or a plain count of bytes; whole decimal numbers. Answers bytes; the
/// error is a sentence that begins with "must".
tl::expected<std::int64_t, std::string> parse_size(std::string_view text);

/// The shortest form that parse_size reads back.
std::string size_to_string(std::int64_t bytes);

}  // namespace jobhost::config
