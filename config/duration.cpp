#include "config/duration.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "config/decimal.h"
#include "config/encoding.h"

namespace jobhost::config {
namespace {

using namespace std::chrono_literals;

struct Unit {
    std::string_view name;
    Duration length;
};
constexpr std::array<Unit, 5> kUnits{{{"d", 24h}, {"h", 1h}, {"m", 1min}, {"s", 1s}, {"ms", 1ms}}};

constexpr std::string_view kForms = "a duration such as 500ms, 30s, 5m, 1h, 7d or 01:30:00";

tl::unexpected<std::string> wrong(std::string_view text, std::string_view hint) {
    std::string sentence = "must be " + std::string(kForms) + ", not " + quote(text);
    if (!hint.empty()) sentence += ": " + std::string(hint);
    return tl::unexpected(std::move(sentence));
}

tl::expected<Duration, std::string> checked(std::int64_t count, Duration unit) {
    if (count > kLongestDuration / unit) {
        return tl::unexpected<std::string>("must be at most " + to_string(kLongestDuration));
    }
    return count * unit;
}

/// Two digits, below `limit`.
std::optional<std::int64_t> two_digits(std::string_view text, std::int64_t limit) {
    if (text.size() != 2 || !std::ranges::all_of(text, is_digit)) return std::nullopt;
    const std::int64_t number = (text[0] - '0') * 10 + (text[1] - '0');
    if (number >= limit) return std::nullopt;
    return number;
}

tl::expected<Duration, std::string> parse_clock_form(std::string_view text) {
    const std::size_t first = text.find(':');
    const std::size_t second = text.find(':', first + 1);
    if (second == std::string_view::npos) return wrong(text, "give hours, minutes and seconds");

    std::string_view hours_text = text.substr(0, first);
    if (hours_text.size() < 2) return wrong(text, "hours have two digits");
    while (hours_text.size() > 1 && hours_text.front() == '0') hours_text.remove_prefix(1);
    const auto hours = parse_decimal(hours_text);
    const auto minutes = two_digits(text.substr(first + 1, second - first - 1), 60);
    const auto seconds = two_digits(text.substr(second + 1), 60);
    if (!hours || !minutes || !seconds) return wrong(text, "minutes and seconds are 00 to 59");

    return checked(*hours, 1h).and_then([&](Duration whole_hours) {
        return checked((whole_hours / 1s) + *minutes * 60 + *seconds, 1s);
    });
}

/// What the operator most likely meant by a text that is no duration.
std::string_view hint_for(std::string_view number, std::string_view rest) {
    if (number.empty()) return "";
    if (rest.empty()) return "the unit is missing";
    if (rest.front() == '.') return "whole numbers only, write 1500ms for 1.5s";
    if (std::ranges::any_of(rest, is_digit)) return "one unit only, write 90m for 1h30m";
    return "";
}

}  // namespace

tl::expected<Duration, std::string> parse_duration(std::string_view text) {
    if (text == "0") return Duration::zero();
    if (text.find(':') != std::string_view::npos) return parse_clock_form(text);

    const auto* end_of_number = std::ranges::find_if_not(text, is_digit);
    const std::string_view number(text.begin(), end_of_number);
    const std::string_view rest(end_of_number, text.end());
    const auto* unit = std::ranges::find(kUnits, rest, &Unit::name);
    if (number.empty() || unit == kUnits.end()) return wrong(text, hint_for(number, rest));

    const auto count = parse_decimal(number);
    if (!count) return wrong(text, "no leading zeros");
    return checked(*count, unit->length);
}

std::string to_string(Duration duration) {
    if (duration == Duration::zero()) return "0s";
    for (const Unit& unit : kUnits) {
        if (duration % unit.length == Duration::zero()) {
            return std::to_string(duration / unit.length) + std::string(unit.name);
        }
    }
    return std::to_string(duration.count()) + "us";
}

}  // namespace jobhost::config
