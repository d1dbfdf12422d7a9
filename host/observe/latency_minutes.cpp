#include "host/observe/latency_minutes.h"

namespace jobhost {
namespace {

constexpr std::size_t kMostMinutes = 60;
constexpr double kMicro = 1e-6;

}  // namespace

double quantile(const Histogram::Counted& now, const Histogram::Counted& before,
                const std::vector<std::int64_t>& steps, double share) {
    const std::int64_t all = now.all - before.all;
    if (all <= 0) return 0;
    const double wanted = share * static_cast<double>(all);
    double lower = 0;
    std::int64_t below = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::int64_t up_to = now.up_to.at(i) - before.up_to.at(i);
        const auto upper = static_cast<double>(steps[i]);
        if (static_cast<double>(up_to) >= wanted && up_to > below) {
            const double within =
                (wanted - static_cast<double>(below)) / static_cast<double>(up_to - below);
            return lower + (upper - lower) * within;
        }
        lower = upper;
        below = up_to;
    }
    return lower;
}

LatencyMinutes::LatencyMinutes(const Histogram& waits, const Histogram& runs)
    : waits_(waits), runs_(runs), waits_before_(waits.counted()), runs_before_(runs.counted()) {}

void LatencyMinutes::look(TimePoint now) {
    const TimePoint minute = std::chrono::floor<std::chrono::minutes>(now);
    const Histogram::Counted waits = waits_.counted();
    const Histogram::Counted runs = runs_.counted();
    const std::lock_guard lock(mutex_);
    if (minute != minute_) {
        minute_ = minute;
        waits_before_ = waits;
        runs_before_ = runs;
        return;
    }
    const std::int64_t count = runs.all - runs_before_.all;
    if (count <= 0) return;
    if (minutes_.empty() || minutes_.back().minute != minute)
        minutes_.push_back({.minute = minute});
    if (minutes_.size() > kMostMinutes) minutes_.pop_front();
    MinuteLatency& latest = minutes_.back();
    latest.runs = count;
    latest.wait_p50 = kMicro * quantile(waits, waits_before_, waits_.steps(), 0.5);
    latest.wait_p95 = kMicro * quantile(waits, waits_before_, waits_.steps(), 0.95);
    latest.run_p50 = kMicro * quantile(runs, runs_before_, runs_.steps(), 0.5);
    latest.run_p95 = kMicro * quantile(runs, runs_before_, runs_.steps(), 0.95);
}

std::vector<MinuteLatency> LatencyMinutes::minutes() const {
    const std::lock_guard lock(mutex_);
    return {minutes_.begin(), minutes_.end()};
}

}  // namespace jobhost
