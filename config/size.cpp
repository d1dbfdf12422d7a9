#include "config/size.h"

#include <algorithm>
#include <array>

#include "config/decimal.h"
#include "config/encoding.h"

namespace jobhost::config {
namespace {

struct Unit {
    std::string_view name;
    std::int64_t bytes;
};
constexpr std::array<Unit, 4> kUnits{
    {{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"", 1}}};
constexpr std::int64_t kLargestSize = std::int64_t{1} << 40;

}  // namespace

tl::expected<std::int64_t, std::string> parse_size(std::string_view text) {
    const auto* end_of_number = std::ranges::find_if_not(text, is_digit);
    const auto count = parse_decimal({text.begin(), end_of_number});
    const auto* unit =
        std::ranges::find(kUnits, std::string_view(end_of_number, text.end()), &Unit::name);
    if (!count || unit == kUnits.end()) {
        return tl::unexpected<std::string>(
            "must be a size such as 64KiB, 1MiB or a plain number of bytes, not " + quote(text));
    }
    if (*count > kLargestSize / unit->bytes) {
        return tl::unexpected<std::string>("must be at most " + size_to_string(kLargestSize));
    }
    return *count * unit->bytes;
}

std::string size_to_string(std::int64_t bytes) {
    const auto* unit = std::ranges::find_if(
        kUnits, [&](const Unit& candidate) { return bytes % candidate.bytes == 0; });
    return bytes == 0 ? "0" : std::to_string(bytes / unit->bytes) + std::string(unit->name);
}

}  // namespace jobhost::config
