#include "host/engine/delay_drawer.h"

#include <algorithm>

#include "host/engine/retry_delay.h"
#include "storage/overloaded.h"

namespace jobhost {
namespace {

constexpr Duration kSlow = std::chrono::milliseconds(100);

}  // namespace

Duration DelayDrawer::next(const Rules& rules, int attempts_made, const ThrownError& why) {
    const Curve curve = rules.curve();
    if (curve.kind != CurveKind::kFunction) return draw_delay(curve, attempts_made, random_);
    if (const LoadedDelay* function = types_.find_delay(curve.function)) {
        return from_function(*function, attempts_made, why);
    }
    events_.bad_delay(run_, curve.function, "no loaded plugin exports it");
    return draw_delay({}, attempts_made, random_);
}

Duration DelayDrawer::from_function(const LoadedDelay& function, int attempts_made,
                                    const ThrownError& why) {
    const Duration built_in = draw_delay({}, attempts_made, random_);
    const SteadyPoint start = clock_.steady_now();
    const DelayAnswer answer = function.delay->delay({.job = run_.job,
                                                      .type = run_.type,
                                                      .queue = run_.queue,
                                                      .attempts_made = attempts_made,
                                                      .max_attempts = max_attempts_,
                                                      .error = &why,
                                                      .default_delay = built_in,
                                                      .random = random_.bits()});
    if (clock_.steady_now() - start > kSlow) {
        events_.bad_delay(run_, function.name, "took more than 100 ms on a worker");
    }
    const auto fall_back = [&](std::string_view what) {
        events_.bad_delay(run_, function.name, what);
        return built_in;
    };
    return std::visit(Overloaded{
                          [&](const Duration& delay) {
                              if (delay < Duration(0))
                                  return fall_back("answered a negative delay");
                              return std::min(delay, kLongestDelay);
                          },
                          [&](const PolicyDelay&) { return built_in; },
                          [&](const BadDelay& bad) { return fall_back(bad.what); },
                      },
                      answer);
}

}  // namespace jobhost
