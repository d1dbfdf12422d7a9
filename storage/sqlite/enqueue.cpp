#include "storage/sqlite/claimer.h"
#include "storage/sqlite/enqueue_batch.h"
#include "storage/sqlite/sqlite_store.h"

namespace jobhost::sqlite {
namespace {

/// From here on a session keeps more pages in memory.
constexpr std::size_t kManyJobs = 64;

}  // namespace

SqliteStore::SqliteStore(const SessionOptions& options, std::size_t max_input_bytes,
                         const Clock& clock)
    : SqliteStore(std::make_unique<Session>(options, clock), max_input_bytes) {}

SqliteStore::SqliteStore(std::unique_ptr<Session> session, std::size_t max_input_bytes)
    : SqlStore(*session),
      owned_session_(std::move(session)),
      session_(*owned_session_),
      max_input_bytes_(max_input_bytes),
      claimer_(std::make_unique<Claimer>(session_)) {}

SqliteStore::~SqliteStore() = default;

EnqueueResult SqliteStore::enqueue(std::span<const NewJob> jobs) {
    // Outside the gate: reading a megabyte of JSON must not hold up other writers.
    if (auto refusal = sql::check_jobs(jobs, max_input_bytes_)) return std::move(*refusal);
    if (jobs.empty()) return std::vector<Enqueued>{};
    if (jobs.size() >= kManyJobs) session_.use_large_cache();

    Transaction transaction(session_, Durability::kDurable);
    std::vector<Enqueued> answers;
    {
        EnqueueBatch batch(session_, jobs, session_.now());
        if (auto refusal = batch.resolve_keys()) return std::move(*refusal);
        answers = batch.store(std::nullopt);
    }
    transaction.commit();
    return answers;
}

}  // namespace jobhost::sqlite
