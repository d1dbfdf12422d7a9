#pragma once

#include <memory>
#include <span>
#include <vector>

#include "storage/postgres/session.h"
#include "storage/sql/exchange_writer.h"
#include "storage/sql/sql_store.h"

namespace jobhost::postgres {

class Claimer;

/// One session with a store in PostgreSQL. Its own is the hot path, in few statements of many rows:
/// enqueue.cpp (with enqueue_batch.cpp), exchange.cpp (with claimer.cpp and successes.cpp), and
/// what keeps the tables small (upkeep.cpp).
class PostgresStore final : public sql::SqlStore {
public:
    PostgresStore(const SessionShared& shared, std::size_t max_input_bytes);
    ~PostgresStore() override;

    EnqueueResult enqueue(std::span<const NewJob> jobs) override;
    void set_claim_plan(std::vector<ClaimQueue> plan) override;
    Exchanged exchange(NodeId node, std::span<const Write> writes,
                       std::span<const Demand> demands) override;
    PurgeCount purge(const RetentionTimes& keep, int batch) override;

private:
    PostgresStore(std::unique_ptr<Session> session, std::size_t max_input_bytes);
    Exchanged exchange_once(NodeId node, std::span<const Write> writes,
                            std::span<const Demand> demands, const sql::Refusals& refusals,
                            bool alone);

    const std::unique_ptr<Session> owned_session_;
    Session& session_;
    const std::size_t max_input_bytes_;
    const sql::MakeBatch make_batch_;
    std::unique_ptr<Claimer> claimer_;
};

}  // namespace jobhost::postgres
