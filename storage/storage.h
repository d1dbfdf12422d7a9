#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "storage/job.h"
#include "storage/transition.h"

namespace jobhost {

// ---- enqueue ------------------------------------------------------------------------------------

/// What became of one new job.
struct Enqueued {
    JobId id = 0;
    bool duplicate = false;  // the key was taken: `id` is the job that holds it
    // Warnings, not errors; see enqueue_warning:
    bool has_live_node = true;   // false: no live node can load the type
    bool has_live_queue = true;  // false: none of those that can works on the queue
};

/// Why nothing was stored.
struct EnqueueRefusal {
    std::size_t index = 0;  // which of the jobs, from 0
    std::string reason = {};
    JobId existing = 0;  // the job that holds the idempotency key, when that is the reason
};

using EnqueueResult = std::variant<std::vector<Enqueued>, EnqueueRefusal>;

// ---- nodes --------------------------------------------------------------------------------------

struct NodeType {
    std::string name = {};
    bool has_handler = false;  // the loaded plugin version has a dead-letter handler for it
};

/// A node introduces itself. Its identity is the random incarnation: names and pids prove nothing.
struct NodeRegistration {
    std::string incarnation = {};  // 32 hex digits, random per registration
    std::string name = {};
    std::string service = {};
    std::string host = {};
    std::string version = {};
    std::int64_t pid = 0;
    Duration beat_interval = {};
    Duration beat_timeout = {};   // its own: how long it may be silent
    std::string lock_file = {};   // absolute path; empty: none
    std::int64_t lock_inode = 0;  // of the lock file
    std::vector<NodeType> types = {};
    std::vector<std::string> queues = {};
    std::vector<std::string> plugins = {};  // `name version`, for people
};

enum class NodeState { kLive, kDead, kStopped };

struct Node {
    NodeId id = 0;
    NodeRegistration registration = {};
    NodeState state = NodeState::kLive;
    std::int64_t beats = 0;  // the counter that proves life
    TimePoint started_at = {};
    TimePoint beat_at = {};       // for people: never evidence
    std::string death = {};       // how it was found dead
    std::int64_t processing = 0;  // jobs that name it now
};

// ---- the exchange: what runs produced, and what free workers can start --------------------------

/// The outcome of one run.
struct RunReport {
    Lease lease = {};
    Transition next = {};
    std::optional<TimePoint> started_at = {};  // nullopt: given back without a start
    std::vector<LogLine> log = {};             // new lines, appended; the last 200 are kept
    std::optional<int> progress_percent = {};
    std::optional<std::string> progress_text = {};
};

/// Something to show about a run that goes on. Dropped silently when the lease is gone.
struct RunNote {
    Lease lease = {};
    std::optional<TimePoint> started_at = {};
    std::vector<LogLine> log = {};
    std::optional<int> progress_percent = {};
    std::optional<std::string> progress_text = {};
    std::optional<std::string> stopping = {};  // why it was asked to stop, a part of a sentence
};

/// Replaces the job's checkpoint; an empty text removes it.
struct SaveCheckpoint {
    Lease lease = {};
    std::string json = {};
};

/// New jobs from a running job or a dead-letter run. All or nothing.
struct EnqueueJobs {
    std::vector<NewJob> jobs = {};
};

/// owed -> started, only while this node owns the run. Stored before the handler is called.
struct StartDeadLetter {
    std::int64_t run = 0;
};

enum class DeadLetterState {
    kOwed,
    kStarted,
    kSucceeded,
    kFailed,
    kNotApplicable,
    kInterrupted,
    kTimedOut
};
std::string_view to_string(DeadLetterState state);

/// started (or, for kNotApplicable, owed) -> an end, only while this node owns the run.
struct FinishDeadLetter {
    std::int64_t run = 0;
    DeadLetterState state = DeadLetterState::kSucceeded;
    std::string error = {};
};

using Write = std::variant<RunReport, RunNote, SaveCheckpoint, EnqueueJobs, StartDeadLetter,
                           FinishDeadLetter>;

/// A dead-letter run that this node has to do now.
struct OwedRun {
    std::int64_t run = 0;
    JobId job = 0;
    std::string type = {};
    DeadLetterKind kind = DeadLetterKind::kHandler;
    std::string name = {};
};

/// A dead-letter run that a dead node left, and what became of it.
struct LeftRun {
    OwedRun run = {};
    bool runs_again = false;  // owed again, for later; false: interrupted, nobody does it any more
};

/// What became of one Write. Items do not share a fate.
struct WriteAnswer {
    enum class Outcome {
        kStored,
        kLeaseLost,  // somebody else answers for the job (or the dead-letter run): nothing was done
        kRefused,    // this item can never be stored; `reason` says why; nothing was done
    };
    Outcome outcome = Outcome::kStored;
    std::string reason = {};
    JobState state = JobState::kSucceeded;  // RunReport: the state that the job is in now
    std::vector<OwedRun> owed = {};         // RunReport with Fail: the runs this node owes now
    std::vector<Enqueued> enqueued = {};    // EnqueueJobs; RunReport with Succeed.jobs
};

/// A type that the node has loaded, with the attempt limit that its policy says for one queue.
struct ClaimType {
    std::string name = {};
    int max_attempts = 10;
};

/// How a node claims from one queue. Changes only when policies or plugins do.
struct ClaimQueue {
    std::string name = {};
    std::vector<ClaimType> types = {};
};

/// How many jobs to take from one queue of the plan.
struct Demand {
    std::size_t queue = 0;  // index in the plan
    int free = 0;           // workers that can start a job now
    int prefetch = 0;       // taken beyond that, never a job whose attempt would be its last
};

/// A job that this node may start now; its attempt is counted, its limit stored.
struct ClaimedJob {
    Lease lease = {};
    std::size_t queue = 0;  // index in the plan
    std::size_t type = 0;   // index in that queue's types
    Priority priority = Priority::kNormal;
    std::string input = {};
    int attempt = 0;
    int max_attempts = 0;
    std::optional<int> max_attempts_requested = {};
    std::optional<Duration> timeout_requested = {};
    std::vector<std::string> tags = {};
    TimePoint created_at = {};
    TimePoint run_at = {};
    TimePoint claimed_at = {};
    std::optional<TimePoint> expires_at = {};  // only when it never started before
    std::optional<TimePoint> first_started_at = {};
    int snoozes = 0;
    int orphanings = 0;
    std::optional<std::string> idempotency_key = {};
    std::optional<std::string> traceparent = {};
    std::string source = {};
    std::optional<std::string> checkpoint = {};
};

/// An operator's wish that concerns this node. All but kCancelJob want an answer.
struct NodeRequest {
    enum class Kind { kCancelJob = 1, kReload = 2, kExplain = 3 };
    std::int64_t id = 0;
    Kind kind = Kind::kCancelJob;
    JobId job = 0;              // kCancelJob
    std::int64_t fence = 0;     // kCancelJob: the run that is meant
    std::string argument = {};  // kExplain: which type, a JSON object
    std::string by = {};        // who asked
};

/// What a node answered.
struct RequestAnswer {
    bool ok = false;        // it did what was asked
    std::string body = {};  // a JSON object
};

struct Exchanged {
    /// False: this node was declared dead. Nothing was written or claimed, and all its leases are
    /// lost; it has to register anew.
    bool node_alive = true;
    std::vector<WriteAnswer> answers = {};   // one for each Write, in order
    std::vector<ClaimedJob> claimed = {};    // by queue, then in the order in which to start them
    std::vector<NodeRequest> requests = {};  // each is given out once
    /// When nothing more can be claimed now: the earliest later `run_at` of an own type in the
    /// queues that were asked for.
    std::optional<TimePoint> next_due = {};
    bool claimed_all_wanted = false;  // at least one queue gave all it was asked for
    /// Rows that could not be understood and were skipped, as sentences for the log; each is told
    /// once in a session.
    std::vector<std::string> broken = {};
};

// ---- orphans ------------------------------------------------------------------------------------

/// A job in `processing` whose node was declared dead.
struct Orphan {
    Lease lease = {};  // of the dead node
    std::string type = {};
    std::string queue = {};
    int attempts = 0;
    int max_attempts = 0;
    std::optional<TimePoint> started_at = {};  // as stored; a start may not have been stored yet
    std::optional<TimePoint> first_started_at = {};
    int orphanings = 0;
    std::string node_name = {};
    std::string node_lock_file = {};
    std::string node_incarnation = {};
    std::string death = {};
};

/// An optional ability of a storage engine: it tells whose jobs were orphaned, so that the owning
/// service decides about each one and runs its dead-letter handlers.
class OrphanReporter {
public:
    virtual ~OrphanReporter() = default;

    /// Orphans of these types only, oldest first: those of other services never hide them.
    virtual std::vector<Orphan> list_orphans(std::span<const std::string> own_types, int limit) = 0;

    /// Ends each with its transition (Retry, Release, Fail or Cancel), guarded by the dead node's
    /// lease, on behalf of `self`: the runs that a Fail owes belong to `self`. Of several watchers
    /// exactly one is answered kStored; the others kLeaseLost.
    virtual std::vector<WriteAnswer> resolve_orphans(NodeId self,
                                                     std::span<const RunReport> reports) = 0;
};

// ---- the contract -------------------------------------------------------------------------------

/// The hot path: what a working node asks of the store. One object is one session with the store
/// (one connection), used by one thread at a time; open as many as there are threads that need one.
/// Every call is one transaction, or none. Throws StorageError when the store broke down; nothing
/// happened then, except with kUnknownOutcome.
class Storage {
public:
    virtual ~Storage() = default;

    /// The store's clock: it decides what is due.
    virtual TimePoint now() = 0;

    /// All or nothing, durable on return; wakes idle nodes. Checks every job itself (see
    /// check_new_job), so there is no way round the rules.
    virtual EnqueueResult enqueue(std::span<const NewJob> jobs) = 0;

    virtual NodeId register_node(const NodeRegistration& registration) = 0;

    /// Increases the node's counter. False: the node was declared dead or its row is gone.
    virtual bool beat(NodeId node) = 0;

    /// Live, dead and stopped nodes, oldest first.
    virtual std::vector<Node> nodes() = 0;

    /// Marks a silent node dead, unless its counter moved past `beats_seen`. True for the caller
    /// that did it.
    virtual bool declare_dead(NodeId node, std::int64_t beats_seen, const std::string& how) = 0;

    /// An orderly stop: gives back what the node still holds in `processing` (attempt not used),
    /// hands its owed dead-letter runs on, ends its started ones as interrupted; those of the types
    /// `at_least_once` are left for `close_dead_letters`, as those of a dead node.
    virtual void leave(NodeId node, std::span<const std::string> at_least_once = {}) = 0;

    /// The queues that a registered node works on from now on, for people and for `why`. Nothing
    /// happens when it is not live any more.
    virtual void set_queues(NodeId node, std::span<const std::string> queues) = 0;

    /// Keeps the answer for who asked, for 10 minutes, and wakes them.
    virtual void answer_request(std::int64_t request, const RequestAnswer& answer) = 0;

    /// What to claim, from now on, in this session.
    virtual void set_claim_plan(std::vector<ClaimQueue> plan) = 0;

    /// Stores what has gathered and claims what free workers can start, in one transaction: durable
    /// when it holds anything but claims and notes. An item that cannot be stored never fails its
    /// neighbours.
    virtual Exchanged exchange(NodeId node, std::span<const Write> writes,
                               std::span<const Demand> demands) = 0;

    /// Leases in the store that name `node`: a node gives back those it does not know.
    virtual std::vector<Lease> leases_of(NodeId node) = 0;

    /// Owed dead-letter runs of own types without an owner (their node stopped, or died under
    /// at_least_once) now belong to `node`. At most `limit`.
    virtual std::vector<OwedRun> adopt_dead_letters(NodeId node,
                                                    std::span<const std::string> own_types,
                                                    int limit) = 0;

    /// Ends the dead-letter runs that dead nodes left of these types: interrupted, or, for the
    /// types in `at_least_once`, owed again after a back-off, up to 5 times. Returns what
    /// it did to each.
    virtual std::vector<LeftRun> close_dead_letters(std::span<const std::string> own_types,
                                                    std::span<const std::string> at_least_once) = 0;

    /// For engines without OrphanReporter: requeues orphans of these types with attempts left
    /// (at once the first time, then after 1 s * 2^n, at most an hour), fails exhausted ones with
    /// jobhost::OrphanedJobError and calls nobody. Returns how many it moved.
    virtual int recover_orphans(std::span<const std::string> own_types, int limit) = 0;

    /// Jobs that missed their deadline become expired, of any type, at most `limit`.
    virtual int expire_jobs(int limit) = 0;

    /// nullptr: this engine cannot tell whose jobs were orphaned.
    virtual OrphanReporter* orphan_reporter() = 0;
};

}  // namespace jobhost
