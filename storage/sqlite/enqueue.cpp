#include "storage/sqlite/enqueue_batch.h"
#include "storage/sqlite/sqlite_store.h"

namespace jobhost::sqlite {
namespace {

/// From here on a session keeps more pages in memory.
constexpr std::size_t kManyJobs = 64;

}  // namespace

EnqueueResult SqliteStore::enqueue(std::span<const NewJob> jobs) {
    // Outside the gate: reading a megabyte of JSON must not hold up other writers.
    if (auto refusal = check_jobs(jobs, max_input_bytes_)) return std::move(*refusal);
    if (jobs.empty()) return std::vector<Enqueued>{};
    if (jobs.size() >= kManyJobs) session_.use_large_cache();

    Transaction transaction(session_, Durability::kDurable);
    std::vector<Enqueued> answers;
    {
        EnqueueBatch batch(session_, jobs, session_.now());
        if (auto refusal = batch.resolve_keys()) return std::move(*refusal);
        answers = batch.store();
    }
    transaction.commit();
    return answers;
}

}  // namespace jobhost::sqlite
