#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "storage/sqlite/session.h"
#include "storage/storage.h"

namespace jobhost::sqlite {

/// The first of the jobs that breaks a rule of check_new_job. Needs no store.
std::optional<EnqueueRefusal> check_jobs(std::span<const NewJob> jobs, std::size_t max_input_bytes);

/// Stores checked jobs inside a write transaction, in two steps: resolve_keys() only reads, and
/// says whether the batch is refused; store() writes. `jobs` must outlive the batch.
class EnqueueBatch {
public:
    EnqueueBatch(Session& session, std::span<const NewJob> jobs, TimePoint now);

    /// Finds the holder of each idempotency key, in the store or earlier in this batch.
    std::optional<EnqueueRefusal> resolve_keys();

    /// `source`: of all jobs, instead of their own.
    std::vector<Enqueued> store(std::optional<std::string_view> source = std::nullopt);

private:
    /// Who holds the key of a job.
    struct Holder {
        JobId existing = 0;                       // in the store
        std::optional<std::size_t> earlier = {};  // in this batch
        bool is_free() const { return existing == 0 && !earlier; }
    };
    struct Statements;
    struct Times {
        TimePoint run_at;
        std::optional<TimePoint> expires_at;
    };

    std::optional<EnqueueRefusal> resolve_key(std::size_t index);
    std::optional<JobState> holder_state(JobId id, const std::optional<std::int64_t>& kept);
    void insert(Statements& statements, const NewJob& job, JobId id, std::string_view source);
    void insert_key(const NewJob& job, std::int64_t type, JobId id);
    void insert_tags(const NewJob& job, JobId id);
    Times times_of(const NewJob& job) const;
    JobId take_ids(std::size_t count);
    /// Whether anybody would run jobs of one type in one queue now.
    struct Reach {
        bool type = false;   // a live node has the type
        bool queue = false;  // one of those works on the queue
    };
    Reach reach_of(const NewJob& job);

    Session& session_;
    const std::span<const NewJob> jobs_;
    const TimePoint now_;
    std::unordered_map<std::size_t, Holder> holders_;  // of the jobs with a key
    std::map<std::pair<std::string_view, std::string_view>, std::size_t> keys_;  // type and key
    std::unordered_map<std::int64_t, Reach> reaches_;  // by queue and type
};

}  // namespace jobhost::sqlite
