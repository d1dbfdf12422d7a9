#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include <jobhost/abi.h>

#include "host/plugin/abi_values.h"
#include "storage/job.h"

namespace jobhost {

// What all functions that plugins call have in common: they check, and they never throw.

/// Runs `body`. Whatever it throws (no memory, a broken listener) ends here: an exception must not
/// cross the border, and the plugin could not do anything about it.
template <class Body>
void never_throws(Body&& body) noexcept {
    try {
        std::forward<Body>(body)();
    } catch (...) {  // NOLINT(bugprone-empty-catch): see above
    }
}

/// Same for a function with an answer.
template <class Answer, class Body>
Answer never_throws(Answer when_thrown, Body&& body) noexcept {
    try {
        return static_cast<Answer>(std::forward<Body>(body)());
    } catch (...) {
        return when_thrown;
    }
}

/// Unknown levels count as INFO; the host has no CRITICAL of its own.
inline LogLevel log_level(jobhost_level level) {
    switch (level) {
        case JOBHOST_LEVEL_TRACE: return LogLevel::kTrace;
        case JOBHOST_LEVEL_DEBUG: return LogLevel::kDebug;
        case JOBHOST_LEVEL_WARNING: return LogLevel::kWarning;
        case JOBHOST_LEVEL_ERROR:
        case JOBHOST_LEVEL_CRITICAL: return LogLevel::kError;
        default: return LogLevel::kInfo;
    }
}

/// A log line of bounded length: a plugin that logs a gigabyte by mistake must not fill the store.
inline std::string_view shown_line(jobhost_str message) {
    constexpr std::size_t kLongestLine = std::size_t{16} * 1024;
    return view_of(message).substr(0, kLongestLine);
}

}  // namespace jobhost
