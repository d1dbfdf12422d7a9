#pragma once

#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "host/engine/engine.h"

namespace jobhost {

/// The policy in force of one type in one queue.
struct Explanation {
    std::string document = {};       // for programs, and to print from: one JSON object, see below
    std::string contradiction = {};  // why the levels do not fit together, or empty
    bool is_loaded = false;          // some plugin has the type
};

/// `queue`: default `default`, or the first one. The error is a sentence: nobody knows the type, or
/// there is no such queue.
///
/// The document: type, queue, plugin (null: none has it), has_handler, policy (each value with
/// `value` and `origin`; do_not_retry; on), timetable (attempt, and in seconds delay_min,
/// delay_max, elapsed_min, elapsed_max), timetable_is_cut, ended_by_retry_for, contradiction (null:
/// none).
tl::expected<Explanation, std::string> explain_type(const EngineSettings& settings,
                                                    const JobTypes& types, const std::string& type,
                                                    const std::optional<std::string>& queue);

}  // namespace jobhost
