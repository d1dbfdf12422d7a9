#pragma once

#include <memory>
#include <span>
#include <vector>

#include "storage/sql/sql_store.h"
#include "storage/sqlite/session.h"

namespace jobhost::sqlite {

class Claimer;

/// One session with a store in an SQLite file. Its own is the hot path: enqueue.cpp (with
/// enqueue_batch.cpp) and exchange.cpp (with claimer.cpp).
class SqliteStore final : public sql::SqlStore {
public:
    SqliteStore(const SessionOptions& options, std::size_t max_input_bytes, const Clock& clock);
    ~SqliteStore() override;

    EnqueueResult enqueue(std::span<const NewJob> jobs) override;
    void set_claim_plan(std::vector<ClaimQueue> plan) override;
    Exchanged exchange(NodeId node, std::span<const Write> writes,
                       std::span<const Demand> demands) override;

private:
    SqliteStore(std::unique_ptr<Session> session, std::size_t max_input_bytes);

    const std::unique_ptr<Session> owned_session_;
    Session& session_;
    const std::size_t max_input_bytes_;
    std::unique_ptr<Claimer> claimer_;
    int idle_exchanges_ = 0;  // in a row
};

}  // namespace jobhost::sqlite
