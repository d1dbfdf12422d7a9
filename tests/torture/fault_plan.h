#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace jobhost::torture {

enum class Engine { kSqlite, kPostgres };

enum class FaultKind {
    kKill,               // SIGKILL of a host, which is started again under the same name
    kStop,               // SIGSTOP for longer than the heartbeat timeout
    kStopInTransaction,  // the same, with a write transaction open
    kKillInTransaction,
    kTerminate,  // SIGTERM, started again under the same name
    kTwin,       // stopped, while another one works under the same name
    kKillEnqueuer,
    kKillEnqueuerInTransaction,
    kLock,      // somebody else holds the store's write lock
    kFullDisk,  // SQLite
    kClockStep,
    kSlowSync,           // SQLite
    kAbort,              // a job aborts its host
    kExit,               // a job calls exit()
    kHang,               // a job is deaf to every request to stop
    kCancel,             // an operator cancels new jobs
    kRequeue,            // an operator requeues failed and cancelled jobs
    kReload,             // other numbers of workers for a service, and SIGHUP
    kServerCrash,        // PostgreSQL: an immediate restart
    kTerminateBackends,  // PostgreSQL: every connection is cut
};

constexpr int kFaultKinds = 20;
constexpr int kHosts = 4;
constexpr int kEnqueuers = 4;
constexpr auto kHeartbeatTimeout = std::chrono::milliseconds(2000);
constexpr auto kFarthestClock = std::chrono::minutes(8);

std::string name_of(FaultKind kind);
std::string name_of(Engine engine);

struct Fault {
    std::chrono::milliseconds at;  // since the start of the faults
    FaultKind kind;
    int target;                       // which host or enqueuer
    std::chrono::milliseconds lasts;  // zero where it is over at once
    std::chrono::milliseconds
        amount{};  // how far the clock goes from its right time, how slow a sync is

    bool operator==(const Fault&) const = default;
};

/// Whether that engine can suffer it.
bool applies(FaultKind kind, Engine engine);

/// The faults of `length`, in the order of their time. A pure function of its arguments: every kind
/// comes once, in an order drawn from the seed, then kinds at random.
std::vector<Fault> plan_faults(std::uint64_t seed, Engine engine, std::chrono::milliseconds length);

std::string describe(const Fault& fault);

}  // namespace jobhost::torture
