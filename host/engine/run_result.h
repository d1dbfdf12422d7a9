#pragma once

#include <string>
#include <variant>

#include "host/engine/thrown_error.h"

namespace jobhost {

/// How a job's code ended, before any rule is applied.
struct Returned {};
struct Threw {
    ThrownError why = {};
};
struct LeftEarly {};  // because it saw the request to stop
struct AskedToSnooze {
    Duration delay = {};
};
struct AskedToDiscard {
    std::string reason = {};
};
struct AskedForDeadLetter {
    std::string reason = {};
    ThrownError why = {};
};

using RunResult =
    std::variant<Returned, Threw, LeftEarly, AskedToSnooze, AskedToDiscard, AskedForDeadLetter>;

/// Why a run should stop. The first cause wins and stays; only a lost lease overrides.
enum class StopCause { kNone = 0, kTimeout, kShutdown, kOperator, kLeaseLost };

}  // namespace jobhost
