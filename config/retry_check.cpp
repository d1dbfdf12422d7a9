#include "config/retry_check.h"

#include <algorithm>

#include "config/duration.h"
#include "config/encoding.h"

namespace jobhost::config {
namespace {

void check_one_level(const RetryValues& values, std::size_t level,
                     std::vector<RetryProblem>& problems) {
    if (!values.initial_delay) return;
    if (values.delay) {
        problems.push_back({level, "delay", "cannot stand beside initial_delay; choose one"});
    }
    if (values.max_delay && *values.max_delay < *values.initial_delay) {
        problems.push_back({level, "max_delay",
                            "must be at least initial_delay (" + to_string(*values.initial_delay) +
                                "), not " + to_string(*values.max_delay)});
    }
}

}  // namespace

std::vector<RetryProblem> check_merged_retry(std::span<const RetryValues* const> levels,
                                             Levels known) {
    std::vector<RetryProblem> problems;
    for (std::size_t i = 0; i < levels.size(); ++i) check_one_level(*levels[i], i, problems);

    const auto curve = std::ranges::find_if(levels, [](const RetryValues* level) {
        return level->initial_delay.has_value() || level->delay.has_value();
    });
    const bool is_chosen = curve != levels.end();
    if (is_chosen ? (*curve)->initial_delay.has_value() : known == Levels::kNarrowest) {
        return problems;
    }

    const std::string reason =
        is_chosen ? "has no use with delay: " + quote(*(*curve)->delay) +
                        ((*curve)->where.empty() ? "" : " (" + (*curve)->where + ")") +
                        "; it needs initial_delay"
                  : "needs initial_delay, here or in another level of the policy";
    const auto used = static_cast<std::size_t>(curve - levels.begin()) + (is_chosen ? 1 : 0);
    for (std::size_t i = 0; i < used; ++i) {
        if (levels[i]->multiplier) problems.push_back({i, "multiplier", reason});
        if (levels[i]->max_delay) problems.push_back({i, "max_delay", reason});
    }
    return problems;
}

}  // namespace jobhost::config
