#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/engine/job_events.h"
#include "host/engine/job_types.h"
#include "host/engine/policy.h"
#include "storage/store.h"

namespace jobhost {

struct QueueSettings {
    std::string name = {};
    int workers = 10;
    PolicyLevel policy = {};
};

/// What the operator decided, as the engine needs it.
struct EngineSettings {
    std::string service = {};
    std::string node_name = {};
    std::string version = {};
    std::vector<QueueSettings> queues = {};
    std::vector<std::pair<std::string, PolicyLevel>> jobs = {};  // `jobs.<type>`
    PolicyLevel global = {};

    Duration beat_interval = std::chrono::seconds(5);
    Duration beat_timeout = std::chrono::seconds(30);
    Duration shutdown_grace = std::chrono::seconds(15);
    Duration shutdown_cancel = std::chrono::seconds(10);
    Duration dead_letter_timeout = std::chrono::minutes(5);
    int dead_letter_workers = 4;
    RetentionTimes retention = {};
    int max_snoozes = 1000;
    std::size_t max_input_bytes = 1024 * 1024;
};

/// The levels of one type in one queue, narrowest first: jobs.<type>, the plugin, the queue, the
/// global block. Without the plugin's when `types` does not have the type.
std::vector<PolicyLevel> policy_levels(const EngineSettings& settings, const JobTypes& types,
                                       const std::string& queue, const std::string& type);

/// What is left when a host that runs until empty stops.
struct Leftover {
    std::int64_t later = 0;         // own jobs whose run_at is in the future
    std::int64_t paused = 0;        // own due jobs that a pause holds back
    std::int64_t elsewhere = 0;     // own jobs that other nodes run
    std::int64_t other_types = 0;   // waiting jobs of types that this node has not loaded
    std::int64_t other_queues = 0;  // waiting jobs of its types, in queues it does not work on
};

/// What the engine asks of its process. Called on engine threads; must be quick.
struct EngineHooks {
    /// The store is damaged, or was replaced under us: the process must stop and say so.
    std::function<void(const std::string& what)> fatal = {};
    /// An operator asks this node something that wants an answer in the store.
    std::function<void(const NodeRequest&)> asked = {};
};

/// What an orderly stop came to. Unless it is kEnded, the process must end by _exit.
enum class StopResult {
    kEnded,
    kCodeStillRuns,  // some runs hold their threads: their code cannot be stopped
    kNotStored,      // the store is away, and outcomes are lost with the process
};

/// A working node: registers, claims, runs, commits, recovers orphans, purges, until stopped.
/// Construction starts all threads; `stop` or destruction ends them in order.
class Engine {
public:
    /// `store`, `types`, `clock` and `events` outlive the engine. Throws StorageError when the
    /// store cannot be reached for the first registration.
    Engine(EngineSettings settings, StoreHandle& store, const JobTypes& types, const Clock& clock,
           JobEvents& events, const EngineHooks& hooks = {});
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// The orderly stop of SPEC 5: no more claims, what has not started is given back, running jobs
    /// get `shutdown_grace`, then are asked to stop, then `shutdown_cancel`. Blocks; `hurry` may be
    /// called meanwhile.
    StopResult stop();

    /// A second signal: skips what is left of the grace. Thread-safe.
    void hurry();

    /// Waits until nothing of this node's own types and queues is due, running here, held by a node
    /// that is dead or silent, or owed a dead-letter run, or until `stopped` (polled) says so.
    /// True: empty.
    bool wait_until_empty(const std::function<bool()>& stopped);
    Leftover leftover();

    /// New rules for what this node does from now on: retries, time limits, queues and their
    /// workers, dead letters, retention, limits, the stop. What runs keeps the rules that it was
    /// claimed with. Identity and heartbeat stay as they are, whatever `settings` says.
    /// Thread-safe; not after `stop` has begun.
    void apply(EngineSettings settings);

    NodeId node() const;

    /// This node's beats reach the store: nobody may take it for dead.
    bool beats_on_time() const;

    /// Jobs from outside of a run (a plugin's on_start, a trigger): checked, stored, durable.
    Asked enqueue(NewJob job);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace jobhost
