#pragma once

#include "host/engine/policy.h"
#include "host/engine/random.h"
#include "storage/clock.h"

namespace jobhost {

/// No delay is longer, whatever the attempt number: everything saturates here.
inline constexpr Duration kLongestDelay = std::chrono::hours(24 * 365);

struct DelayRange {
    Duration least = {};
    Duration most = {};
};

/// What the curve can answer after `attempts_made` (from 1) attempts. A function's range is not
/// known: it answers as the built-in curve, its fallback.
///
///   built-in     n^4 + 15 + rand(0..29) * (n + 1) seconds, the curve of Sidekiq
///   exponential  initial_delay * multiplier^(n - 1), +-10 %; from where that reaches max_delay on,
///                0.9 to 1.0 * max_delay. Never above max_delay.
DelayRange delay_range(const Curve& curve, int attempts_made);

/// One draw from that range. The built-in curve draws whole steps, as rand(0..29) says.
Duration draw_delay(const Curve& curve, int attempts_made, Random& random);

}  // namespace jobhost
