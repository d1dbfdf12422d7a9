#include "tests/torture/fault_plan.h"

#include <algorithm>
#include <random>

namespace jobhost::torture {
namespace {

using std::chrono::milliseconds;

/// std::mt19937_64 is the same everywhere, the library's distributions are not.
class Chance {
public:
    explicit Chance(std::uint64_t seed) : source_(seed) {}
    int below(int end) { return static_cast<int>(source_() % static_cast<std::uint64_t>(end)); }
    milliseconds between(milliseconds from, milliseconds to) {
        return from + milliseconds(below(static_cast<int>((to - from).count()) + 1));
    }

private:
    std::mt19937_64 source_;
};

constexpr auto kShortestGap = milliseconds(150);
constexpr auto kLongestGap = milliseconds(900);

milliseconds length_of(FaultKind kind, Chance& chance) {
    switch (kind) {
        case FaultKind::kStop:
        case FaultKind::kStopInTransaction:
        case FaultKind::kTwin:
            return chance.between(kHeartbeatTimeout + milliseconds(400), 2 * kHeartbeatTimeout);
        case FaultKind::kLock:
            return chance.between(milliseconds(500), kHeartbeatTimeout + milliseconds(1500));
        case FaultKind::kFullDisk:
        case FaultKind::kSlowSync: return chance.between(milliseconds(500), milliseconds(3000));
        case FaultKind::kHang: return chance.between(milliseconds(1000), milliseconds(5000));
        case FaultKind::kKill:
        case FaultKind::kKillInTransaction:
        case FaultKind::kTerminate:
        case FaultKind::kKillEnqueuer:
        case FaultKind::kKillEnqueuerInTransaction:
        case FaultKind::kClockStep:
        case FaultKind::kAbort:
        case FaultKind::kExit:
        case FaultKind::kCancel:
        case FaultKind::kRequeue:
        case FaultKind::kReload:
        case FaultKind::kServerCrash:
        case FaultKind::kTerminateBackends: return milliseconds(0);
    }
    return milliseconds(0);
}

milliseconds amount_of(FaultKind kind, Chance& chance) {
    if (kind == FaultKind::kSlowSync) {
        return chance.between(milliseconds(20), milliseconds(400));
    }
    if (kind == FaultKind::kClockStep) {
        return chance.between(-kFarthestClock, kFarthestClock);
    }
    return milliseconds(0);
}

}  // namespace

std::string name_of(FaultKind kind) {
    switch (kind) {
        case FaultKind::kKill: return "kill";
        case FaultKind::kStop: return "stop";
        case FaultKind::kStopInTransaction: return "stop_in_transaction";
        case FaultKind::kKillInTransaction: return "kill_in_transaction";
        case FaultKind::kTerminate: return "terminate";
        case FaultKind::kTwin: return "twin";
        case FaultKind::kKillEnqueuer: return "kill_enqueuer";
        case FaultKind::kKillEnqueuerInTransaction: return "kill_enqueuer_in_transaction";
        case FaultKind::kLock: return "lock";
        case FaultKind::kFullDisk: return "full_disk";
        case FaultKind::kClockStep: return "clock_step";
        case FaultKind::kSlowSync: return "slow_sync";
        case FaultKind::kAbort: return "abort";
        case FaultKind::kExit: return "exit";
        case FaultKind::kHang: return "hang";
        case FaultKind::kCancel: return "cancel";
        case FaultKind::kRequeue: return "requeue";
        case FaultKind::kReload: return "reload";
        case FaultKind::kServerCrash: return "server_crash";
        case FaultKind::kTerminateBackends: return "terminate_backends";
    }
    return "?";
}

std::string name_of(Engine engine) {
    return engine == Engine::kSqlite ? "sqlite" : "postgres";
}

bool applies(FaultKind kind, Engine engine) {
    switch (kind) {
        case FaultKind::kFullDisk:
        case FaultKind::kSlowSync: return engine == Engine::kSqlite;
        case FaultKind::kServerCrash:
        case FaultKind::kTerminateBackends: return engine == Engine::kPostgres;
        default: return true;
    }
}

std::vector<Fault> plan_faults(std::uint64_t seed, Engine engine, milliseconds length) {
    Chance chance(seed);
    std::vector<FaultKind> kinds;
    for (int kind = 0; kind < kFaultKinds; ++kind) {
        if (applies(static_cast<FaultKind>(kind), engine)) {
            kinds.push_back(static_cast<FaultKind>(kind));
        }
    }
    for (int i = static_cast<int>(kinds.size()) - 1; i > 0; --i) {
        std::swap(kinds[static_cast<std::size_t>(i)],
                  kinds[static_cast<std::size_t>(chance.below(i + 1))]);
    }
    std::vector<Fault> faults;
    milliseconds at = chance.between(kShortestGap, kLongestGap);
    while (at < length) {
        const std::size_t number = faults.size();
        const FaultKind kind =
            number < kinds.size()
                ? kinds[number]
                : kinds[static_cast<std::size_t>(chance.below(static_cast<int>(kinds.size())))];
        const int target = chance.below(kHosts);
        const milliseconds lasts = length_of(kind, chance);
        faults.push_back({at, kind, target, lasts, amount_of(kind, chance)});
        at += chance.between(kShortestGap, kLongestGap);
    }
    return faults;
}

std::string describe(const Fault& fault) {
    return std::to_string(fault.at.count()) + " ms " + name_of(fault.kind) + " of " +
           std::to_string(fault.target) + " for " + std::to_string(fault.lasts.count()) +
           " ms by " + std::to_string(fault.amount.count()) + " ms";
}

}  // namespace jobhost::torture
