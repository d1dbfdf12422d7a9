#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace jobhost {

/// A number with its noun: `0 jobs`, `1 job`, `2 jobs`. For nouns with a plain plural.
std::string counted(std::int64_t count, std::string_view noun);

}  // namespace jobhost
