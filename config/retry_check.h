#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "config/config.h"

namespace jobhost::config {

/// A value that cannot work together with the others of its merged policy.
struct RetryProblem {
    std::size_t level = 0;     ///< index into the levels that were checked
    std::string key = {};      ///< "multiplier", "max_delay" or "delay"
    std::string message = {};  ///< a sentence that follows the key

    bool operator==(const RetryProblem&) const = default;
};

enum class Levels {
    kAll,       ///< nothing can add to them: what is missing is missing
    kNarrowest  ///< wider ones (a plugin's, say) are not known yet: only certain problems count
};

/// Checks the levels of one policy, narrowest first, after they are merged field by field:
/// - `multiplier` or `max_delay` without an `initial_delay` that they belong to. A level that sets
///   `initial_delay` or `delay` chooses the kind of curve, so what wider levels say about another
///   kind is not used, and no problem.
/// - `delay` beside `initial_delay`, and `max_delay` below `initial_delay`, in the same level. A
///   `max_delay` of a wider level may lie below: it caps.
std::vector<RetryProblem> check_merged_retry(std::span<const RetryValues* const> levels,
                                             Levels known);

}  // namespace jobhost::config
