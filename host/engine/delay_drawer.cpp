#include "host/engine/delay_drawer.h"

#include <algorithm>
#include <memory>
#include <mutex>

#include "host/engine/retry_delay.h"
#include "storage/overloaded.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

constexpr auto kSlow = 100ms;
constexpr auto kStuckAfter = 10s;  // as for a job that ignores its cancellation

/// Says once that a delay function does not return.
class StuckDelay final : public Watched {
public:
    StuckDelay(JobEvents& events, const RunRef& run, const std::string& function)
        : events_(events), run_(run), function_(function) {}

    SteadyPoint check(SteadyPoint) override {
        const std::lock_guard lock(mutex_);
        if (!ended_) {
            events_.bad_delay(run_, function_,
                              "has not returned for 10 s and still holds its worker slot");
        }
        return SteadyPoint::max();
    }

    /// What this refers to may go afterwards.
    void end() {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }

private:
    JobEvents& events_;
    const RunRef& run_;
    const std::string& function_;
    std::mutex mutex_;
    bool ended_ = false;  // guarded by mutex_
};

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
    std::shared_ptr<StuckDelay> watched;
    if (place_ != nullptr) {
        watched = std::make_shared<StuckDelay>(events_, run_, function.name);
        place_->enter(watched, start + kStuckAfter);
    }
    const DelayAnswer answer = function.delay->delay({.job = run_.job,
                                                      .type = run_.type,
                                                      .queue = run_.queue,
                                                      .attempts_made = attempts_made,
                                                      .max_attempts = max_attempts_,
                                                      .error = &why,
                                                      .default_delay = built_in,
                                                      .random = random_.bits()});
    if (watched) {
        place_->leave();
        watched->end();
    }
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
