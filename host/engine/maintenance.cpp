#include "host/engine/maintenance.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

constexpr int kExpireBatch = 500;
constexpr auto kPurgeEvery = 30s;
constexpr Duration kJump = 10min;

}  // namespace

Maintenance::Maintenance(const CurrentPlan& plans, std::unique_ptr<Store> session,
                         const Clock& clock, JobEvents& events)
    : plans_(plans),
      session_(std::move(session)),
      clock_(clock),
      events_(events),
      wall_(clock.now()),
      steady_(clock.steady_now()),
      next_purge_(steady_ + kPurgeEvery) {}

/// The reference moves on only while the clocks agree, or once both rounds after a jump agree
/// again.
bool Maintenance::clock_jumped() {
    const TimePoint wall = clock_.now();
    const SteadyPoint steady = clock_.steady_now();
    const Duration ahead = (wall - wall_) - std::chrono::duration_cast<Duration>(steady - steady_);
    wall_ = wall;
    steady_ = steady;
    if (ahead <= kJump) return false;
    events_.clock_jumped(ahead);
    return true;
}

void Maintenance::tick(const std::stop_token& stop) {
    if (clock_jumped()) next_purge_ = clock_.steady_now() + kJump;
    const SteadyPoint now = clock_.steady_now();
    paused_ = now < next_purge_ && next_purge_ - now > kPurgeEvery;
    if (paused_) return;
    while (session_->expire_jobs(kExpireBatch) == kExpireBatch && !stop.stop_requested()) {
    }
    if (now < next_purge_) return;
    next_purge_ = now + kPurgeEvery;
    PurgeCount total;
    while (!stop.stop_requested()) {
        const PurgeCount purged = session_->purge(plans_.get()->settings.retention, kPurgeBatch);
        total.jobs += purged.jobs;
        total.keys += purged.keys;
        if (!purged.more) break;
    }
    if (total.jobs + total.keys > 0) events_.purged(total.jobs, total.keys);
}

}  // namespace jobhost
