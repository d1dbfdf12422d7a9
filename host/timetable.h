#pragma once

#include <string>
#include <vector>

#include "host/engine/policy.h"

namespace jobhost {

/// One retry of a job that always fails.
struct RetryRow {
    int attempt = 0;  // that this retry is, from 2
    Duration least = {};
    Duration most = {};
    Duration elapsed_least = {};  // from the first failure, without the runs themselves
    Duration elapsed_most = {};
};

struct Timetable {
    std::vector<RetryRow> rows = {};
    bool cut = false;  // there are more retries than rows
    /// `retry_for` ends the retries before max_attempts does, at the latest after these rows.
    bool ended_by_retry_for = false;
};

/// The retries that the rules plan, at most `limit` of them. A delay function's answers are not
/// known: its rows are those of its fallback, the built-in curve.
Timetable retry_timetable(const Rules& rules, std::size_t limit);

}  // namespace jobhost
