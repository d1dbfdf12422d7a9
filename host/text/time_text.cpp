#include "host/text/time_text.h"

#include <cstdint>
#include <cstdio>
#include <optional>

namespace jobhost {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kWanted = "must be a time such as 2026-02-28T23:59:00Z";

/// Takes text apart from the left. After the first mismatch `ok` stays false.
struct Reader {
    std::string_view rest;
    bool ok = true;

    int digits(std::size_t count) {
        int value = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (rest.empty() || rest.front() < '0' || rest.front() > '9') {
                ok = false;
                return 0;
            }
            value = value * 10 + (rest.front() - '0');
            rest.remove_prefix(1);
        }
        return value;
    }

    /// The next character, which must be one of these.
    char one_of(std::string_view wanted) {
        if (rest.empty() || wanted.find(rest.front()) == std::string_view::npos) {
            ok = false;
            return '\0';
        }
        const char found = rest.front();
        rest.remove_prefix(1);
        return found;
    }
};

/// `.5` and so on; zero when there is none.
Duration read_fraction(Reader& reader) {
    if (reader.rest.empty() || reader.rest.front() != '.') return Duration::zero();
    reader.rest.remove_prefix(1);
    std::int64_t value = 0;
    std::int64_t unit = 100'000;
    std::size_t count = 0;
    while (!reader.rest.empty() && reader.rest.front() >= '0' && reader.rest.front() <= '9') {
        value += unit * (reader.rest.front() - '0');
        unit /= 10;
        ++count;
        reader.rest.remove_prefix(1);
    }
    if (count == 0) reader.ok = false;
    return Duration(value);
}

minutes read_offset(Reader& reader) {
    const char sign = reader.one_of("zZ+-");
    if (sign != '+' && sign != '-') return minutes(0);
    const int hour = reader.digits(2);
    reader.one_of(":");
    const int minute = reader.digits(2);
    if (hour > 23 || minute > 59) reader.ok = false;
    const minutes offset = hours(hour) + minutes(minute);
    return sign == '+' ? offset : -offset;
}

}  // namespace

std::string time_text(TimePoint time) {
    const auto day = std::chrono::floor<days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(time - day);
    char text[64];
    std::snprintf(
        text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ", static_cast<int>(date.year()),
        static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
        static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
        static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
    return text;
}

tl::expected<TimePoint, std::string> parse_time(std::string_view text) {
    Reader reader{text};
    const int year = reader.digits(4);
    reader.one_of("-");
    const int month = reader.digits(2);
    reader.one_of("-");
    const int day = reader.digits(2);
    reader.one_of("tT ");
    const int hour = reader.digits(2);
    reader.one_of(":");
    const int minute = reader.digits(2);
    reader.one_of(":");
    const int second = reader.digits(2);
    const Duration fraction = read_fraction(reader);
    const bool local_part_read = reader.ok;
    const minutes offset = read_offset(reader);
    if (!local_part_read) return tl::unexpected(std::string(kWanted));
    if (!reader.ok || !reader.rest.empty()) {
        return tl::unexpected(std::string(kWanted) +
                              ": it needs `Z` or an offset such as `+01:00` at its end");
    }

    const std::chrono::year_month_day date(std::chrono::year(year),
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day)));
    // Second 60 is a leap second: the first one of the next minute, as clocks without them say.
    if (!date.ok() || hour > 23 || minute > 59 || second > 60) {
        return tl::unexpected(std::string("must be a time that exists"));
    }
    const TimePoint time = std::chrono::sys_days(date) + hours(hour) + minutes(minute) +
                           seconds(second) + fraction - offset;
    constexpr TimePoint kEnd = std::chrono::sys_days(std::chrono::year(10000) / 1 / 1);
    if (time < TimePoint() || time >= kEnd) {
        return tl::unexpected(std::string("must be a time of the years 1970 to 9999"));
    }
    return time;
}

}  // namespace jobhost
