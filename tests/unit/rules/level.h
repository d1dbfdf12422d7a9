#pragma once

#include <string>
#include <utility>

#include "tests/unit/engine/decide_facts.h"
#include "tests/unit/rules/rule.h"

namespace jobhost {

/// A rule that needs nothing but the rules.
using PureRule = Rule<>;

inline PolicyLevel level_of(RetryLevel retry, const std::string& origin = "jobs.mail.send") {
    PolicyLevel level;
    level.origin = origin;
    level.retry = std::move(retry);
    return level;
}

inline std::string outcome_of(ThrownError why, const Rules& rules = {}) {
    return outcome(first_of_three(), failed_with(std::move(why)), rules);
}

inline std::string last_of_three(const RunEnd& end, const Rules& rules = {}) {
    RunFacts job = first_of_three();
    job.attempt = 3;
    return outcome(job, end, rules);
}

}  // namespace jobhost
