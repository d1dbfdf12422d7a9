#include "host/timetable.h"

#include "host/engine/retry_delay.h"

namespace jobhost {
namespace {

/// Sums of delays of a year each must not overflow.
Duration add(Duration sum, Duration part) {
    return sum > Duration::max() - part ? Duration::max() : sum + part;
}

}  // namespace

Timetable retry_timetable(const Rules& rules, std::size_t limit) {
    Timetable table;
    const Curve curve = rules.curve();
    Duration least = {};
    Duration most = {};
    for (int made = 1; made < rules.max_attempts.value; ++made) {
        const DelayRange delay = delay_range(curve, made);
        least = add(least, delay.least);
        most = add(most, delay.most);
        if (rules.retry_for.value && least > *rules.retry_for.value) {
            table.ended_by_retry_for = true;
            break;
        }
        if (table.rows.size() == limit) {
            table.cut = true;
            break;
        }
        table.rows.push_back({.attempt = made + 1,
                              .least = delay.least,
                              .most = delay.most,
                              .elapsed_least = least,
                              .elapsed_most = most});
    }
    return table;
}

}  // namespace jobhost
