#include "storage/postgres/claimer.h"
#include "storage/postgres/postgres_store.h"
#include "storage/postgres/successes.h"
#include "storage/sql/requests.h"

namespace jobhost::postgres {
namespace {

constexpr int kMostTries = 5;  // of an exchange that another transaction got in the way of

}  // namespace

void PostgresStore::set_claim_plan(std::vector<ClaimQueue> plan) {
    claimer_->set_plan(std::move(plan));
}

Exchanged PostgresStore::exchange(NodeId node, std::span<const Write> writes,
                                  std::span<const Demand> demands) {
    const sql::Refusals refusals = sql::refusals_of(writes, max_input_bytes_);
    // All items together first; when one of them cannot be stored, once more, each by itself.
    bool alone = false;
    for (int tries = 1;; ++tries) {
        try {
            return exchange_once(node, writes, demands, refusals, alone);
        } catch (const sql::RowError&) {
            claimer_->rolled_back();
            if (alone) throw;
            alone = true;
        } catch (const sql::Collision&) {
            claimer_->rolled_back();
            if (tries == kMostTries) throw;
        } catch (...) {
            claimer_->rolled_back();
            throw;
        }
    }
}

Exchanged PostgresStore::exchange_once(NodeId node, std::span<const Write> writes,
                                       std::span<const Demand> demands,
                                       const sql::Refusals& refusals, bool alone) {
    Exchanged result;
    const Durability durability = writes.empty() ? Durability::kFast : sql::durability_of(writes);
    ReadCommitted transaction(session_, durability);
    const auto service = sql::service_of_live_node(session_, node);
    result.node_alive = service.has_value();
    if (!result.node_alive) return result;

    const TimePoint at = session_.now();
    result.answers.resize(writes.size());
    std::vector<std::size_t> successes;
    {
        sql::ExchangeWriter writer(session_, node, at, refusals, make_batch_);
        for (std::size_t index = 0; index < writes.size(); ++index) {
            if (!alone && is_plain_success(writes[index], node)) {
                successes.push_back(index);
            } else {
                result.answers[index] = alone ? writer.apply_alone(index, writes[index])
                                              : writer.apply(index, writes[index]);
            }
        }
        const std::vector<bool> stored = store_successes(session_, node, writes, successes, at);
        for (std::size_t i = 0; i < successes.size(); ++i) {
            const std::size_t index = successes[i];
            // The slow way finds out whether it is a repeat.
            result.answers[index] = stored[i] ? WriteAnswer{.state = JobState::kSucceeded}
                                              : writer.apply(index, writes[index]);
        }
    }
    if (sql::has_demand(demands)) claimer_->claim(node, *service, demands, at, result);
    result.requests = sql::take_requests(session_, node);
    transaction.commit();
    claimer_->committed();
    return result;
}

}  // namespace jobhost::postgres
