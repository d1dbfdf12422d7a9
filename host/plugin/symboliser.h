#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace jobhost {

// Addresses of calls -> a stack trace as text: one frame a line, inlined frames in lines of their
// own, with function, file and line where the library has debug information, else with the library
// and the offset in it. Thread-safe. What an address means is remembered (the newest few thousand),
// so the same failure over and over costs a look-up a frame.

/// `frames`: innermost first, each within the call's instruction; the first 64 count. What is at
/// the outer end of every trace, frames of the host and of the SDK's headers, is left out.
std::string stack_trace_text(std::span<const std::uint64_t> frames);

/// Says that libraries were loaded: debug information is read anew, at the next use. What was read
/// before stays in memory (libbacktrace cannot free it), so call it once per set of plugins.
void symbols_changed();

}  // namespace jobhost
