#include "host/engine/retry_delay.h"

#include <algorithm>
#include <cmath>

namespace jobhost {
namespace {

constexpr int kBuiltInSteps = 29;

/// Saturates before it converts: a double that does not fit an integer is undefined behaviour.
Duration from_seconds(double seconds) {
    constexpr double kLongest = 365.0 * 24 * 3600;
    if (!(seconds > 0)) return Duration(0);  // also NaN
    if (seconds >= kLongest) return kLongestDelay;
    return Duration(static_cast<Duration::rep>(std::llround(seconds * 1e6)));
}

double to_seconds(Duration duration) {
    return static_cast<double>(duration.count()) / 1e6;
}

double built_in_seconds(int attempts_made, double step) {
    const double n = std::max(attempts_made, 1);
    return n * n * n * n + 15 + step * (n + 1);
}

struct SecondsRange {
    double least = 0;
    double most = 0;
};

SecondsRange exponential_range(const Curve& curve, int attempts_made) {
    const double initial = to_seconds(curve.initial_delay);
    if (initial <= 0) return {};
    const double base = initial * std::pow(curve.multiplier, std::max(attempts_made, 1) - 1.0);
    if (!curve.max_delay) return {0.9 * base, 1.1 * base};
    const double cap = to_seconds(*curve.max_delay);
    if (base >= cap) return {0.9 * cap, cap};
    return {0.9 * base, std::min(1.1 * base, cap)};
}

}  // namespace

DelayRange delay_range(const Curve& curve, int attempts_made) {
    if (curve.kind == CurveKind::kExponential) {
        const SecondsRange range = exponential_range(curve, attempts_made);
        return {from_seconds(range.least), from_seconds(range.most)};
    }
    return {from_seconds(built_in_seconds(attempts_made, 0)),
            from_seconds(built_in_seconds(attempts_made, kBuiltInSteps))};
}

Duration draw_delay(const Curve& curve, int attempts_made, Random& random) {
    if (curve.kind == CurveKind::kExponential) {
        const SecondsRange range = exponential_range(curve, attempts_made);
        if (std::isinf(range.least)) return kLongestDelay;
        if (std::isinf(range.most)) return from_seconds(range.most);
        return from_seconds(random.between(range.least, range.most));
    }
    const double step = std::min(std::floor(random.unit() * (kBuiltInSteps + 1)),
                                 static_cast<double>(kBuiltInSteps));
    return from_seconds(built_in_seconds(attempts_made, step));
}

}  // namespace jobhost
