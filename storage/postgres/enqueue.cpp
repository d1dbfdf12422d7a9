#include "storage/postgres/claimer.h"
#include "storage/postgres/enqueue_batch.h"
#include "storage/postgres/postgres_store.h"

namespace jobhost::postgres {

PostgresStore::PostgresStore(const SessionShared& shared, std::size_t max_input_bytes)
    : PostgresStore(std::make_unique<Session>(shared), max_input_bytes) {}

PostgresStore::PostgresStore(std::unique_ptr<Session> session, std::size_t max_input_bytes)
    : SqlStore(*session),
      owned_session_(std::move(session)),
      session_(*owned_session_),
      max_input_bytes_(max_input_bytes),
      make_batch_([this](std::span<const NewJob> jobs, TimePoint now) {
          return std::make_unique<EnqueueBatch>(session_, jobs, now);
      }),
      claimer_(std::make_unique<Claimer>(session_)) {}

PostgresStore::~PostgresStore() = default;

EnqueueResult PostgresStore::enqueue(std::span<const NewJob> jobs) {
    if (auto refusal = sql::check_jobs(jobs, max_input_bytes_)) return std::move(*refusal);
    if (jobs.empty()) return std::vector<Enqueued>{};

    for (int tries = 1;; ++tries) {
        try {
            ReadCommitted transaction(session_, Durability::kDurable);
            EnqueueBatch batch(session_, jobs, session_.now());
            if (auto refusal = batch.resolve_keys()) return std::move(*refusal);
            std::vector<Enqueued> answers = batch.store(std::nullopt);
            transaction.commit();
            return answers;
        } catch (const sql::Collision&) {  // two batches with the same keys waited for each other
            if (tries == 5) throw;
        }
    }
}

}  // namespace jobhost::postgres
