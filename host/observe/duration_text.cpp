#include "host/observe/duration_text.h"

#include <cstdint>

namespace jobhost {
namespace {

using std::chrono::days;
using std::chrono::duration_cast;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

template <class Big, class Small>
std::string two_units(Duration duration, const char* big_unit, const char* small_unit) {
    const auto big = duration_cast<Big>(duration);
    const auto small = duration_cast<Small>(duration - big);
    std::string text = std::to_string(big.count()) + big_unit;
    if (small.count() != 0) text += ' ' + std::to_string(small.count()) + small_unit;
    return text;
}

/// Seconds with one decimal, which is left out when it is zero.
std::string seconds_text(Duration duration) {
    const std::int64_t tenths = duration.count() / 100'000;
    std::string text = std::to_string(tenths / 10);
    if (tenths % 10 != 0) text += '.' + std::to_string(tenths % 10);
    return text + " s";
}

}  // namespace

std::string duration_text(Duration duration) {
    // The most negative count has no positive twin.
    if (duration == Duration::min()) duration = -Duration::max();
    if (duration < Duration::zero()) return '-' + duration_text(-duration);
    if (duration == Duration::zero()) return "0 s";
    if (duration < std::chrono::milliseconds(1)) return std::to_string(duration.count()) + " us";
    if (duration < seconds(1)) return std::to_string(duration.count() / 1000) + " ms";
    if (duration < minutes(1)) return seconds_text(duration);
    if (duration < hours(1)) return two_units<minutes, seconds>(duration, "m", "s");
    if (duration < days(1)) return two_units<hours, minutes>(duration, "h", "m");
    return two_units<days, hours>(duration, "d", "h");
}

}  // namespace jobhost
