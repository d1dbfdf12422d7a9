#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "storage/storage.h"

namespace jobhost::sql {

class Session;

/// The first of the jobs that breaks a rule of check_new_job. Needs no store.
std::optional<EnqueueRefusal> check_jobs(std::span<const NewJob> jobs, std::size_t max_input_bytes);

/// When a job may run, and until when it must have started.
struct JobTimes {
    TimePoint run_at = {};
    std::optional<TimePoint> expires_at = {};
};
JobTimes times_of(const NewJob& job, TimePoint now);

/// What a key that is held does to a new job.
enum class KeyVerdict {
    kDuplicate,  // the holder is the answer
    kFree,       // the holder's end lets the key go
    kRefused,
};
KeyVerdict judge_key(OnDuplicate rule, JobState holder);
EnqueueRefusal refusal_by_key(std::size_t index, JobId holder, JobState state);

/// The state of the job that holds a key. `kept`: the state it was purged in, as stored with the
/// key. nullopt: nothing is known of it (a broken row), so the key is free.
std::optional<JobState> key_holder_state(Session& session, JobId id,
                                         const std::optional<std::int64_t>& kept);

/// Whether anybody would run jobs of one type in one queue now.
struct Reach {
    bool type = false;   // a live node has the type
    bool queue = false;  // one of those works on the queue
};

/// Asks for it, once for each type and queue. Inside a write transaction.
class Reaches {
public:
    Reach of(Session& session, const NewJob& job);

private:
    std::unordered_map<std::int64_t, Reach> known_;  // by queue and type
};

/// Stores checked jobs inside a write transaction, in two steps: resolve_keys() says whether the
/// batch is refused, and leaves nothing behind then; store() writes. The jobs outlive the batch.
class EnqueueBatch {
public:
    virtual ~EnqueueBatch() = default;

    /// Finds the holder of each idempotency key, in the store or earlier in this batch.
    virtual std::optional<EnqueueRefusal> resolve_keys() = 0;

    /// `source`: of all jobs, instead of their own.
    virtual std::vector<Enqueued> store(std::optional<std::string_view> source) = 0;
};

/// How the engine makes a batch.
using MakeBatch =
    std::function<std::unique_ptr<EnqueueBatch>(std::span<const NewJob> jobs, TimePoint now)>;

}  // namespace jobhost::sql
