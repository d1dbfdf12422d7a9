#pragma once

#include "host/bench/bench_types.h"

namespace jobhost::bench {

inline constexpr const char* kWork = "bench.work";        // input: for how many microseconds
inline constexpr const char* kFlaky = "bench.flaky";      // fails twice, retried after 1 ms
inline constexpr const char* kDoomed = "bench.doomed";    // fails; its handler is counted
inline constexpr const char* kHostile = "bench.hostile";  // fails; its handler fails, or hangs
inline constexpr const char* kHold = "bench.hold";        // notes its start and runs for ever

/// Input of kHostile whose handler hangs as long as the process lives.
inline constexpr const char* kHang = "\"hang\"";

/// kHold notes the start of its second attempt this far behind that of its first.
inline constexpr int kSecondAttempt = 1000;

/// The standard ones and these.
JobTypes suite_types(Board& board);

}  // namespace jobhost::bench
