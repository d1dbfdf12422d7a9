#include <algorithm>

#include "storage/sql/exchange_writer.h"
#include "storage/sql/requests.h"
#include "storage/sqlite/claimer.h"
#include "storage/sqlite/enqueue_batch.h"
#include "storage/sqlite/sqlite_store.h"

namespace jobhost::sqlite {
namespace {

/// From here on a session keeps more pages in memory; after so many exchanges without any work it
/// lets them go.
constexpr std::size_t kManyItems = 64;
constexpr int kIdleExchanges = 20;

}  // namespace

void SqliteStore::set_claim_plan(std::vector<ClaimQueue> plan) {
    claimer_->set_plan(std::move(plan));
}

Exchanged SqliteStore::exchange(NodeId node, std::span<const Write> writes,
                                std::span<const Demand> demands) {
    const sql::Refusals refusals = sql::refusals_of(writes, max_input_bytes_);
    std::size_t wanted = writes.size();
    for (const Demand& demand : demands) {
        wanted += static_cast<std::size_t>(std::max(demand.free + demand.prefetch, 0));
    }
    if (wanted >= kManyItems && !writes.empty()) session_.use_large_cache();

    const sql::MakeBatch make_batch = [&](std::span<const NewJob> jobs, TimePoint now) {
        return std::make_unique<EnqueueBatch>(session_, jobs, now);
    };
    // All items together first; when one of them cannot be stored, once more, each by itself.
    for (const bool alone : {false, true}) {
        try {
            Exchanged exchanged = session_.transact(sql::durability_of(writes), [&] {
                Exchanged result;
                const auto service = sql::service_of_live_node(session_, node);
                result.node_alive = service.has_value();
                if (!result.node_alive) return result;
                const TimePoint at = session_.now();
                {
                    sql::ExchangeWriter writer(session_, node, at, refusals, make_batch);
                    result.answers.reserve(writes.size());
                    for (std::size_t index = 0; index < writes.size(); ++index) {
                        result.answers.push_back(alone ? writer.apply_alone(index, writes[index])
                                                       : writer.apply(index, writes[index]));
                    }
                }
                if (sql::has_demand(demands)) claimer_->claim(node, *service, demands, at, result);
                result.requests = sql::take_requests(session_, node);
                return result;
            });
            const bool idle = writes.empty() && exchanged.claimed.empty();
            idle_exchanges_ = idle ? idle_exchanges_ + 1 : 0;
            if (idle_exchanges_ == kIdleExchanges) session_.release_memory();
            return exchanged;
        } catch (const sql::RowError&) {
            claimer_->rolled_back();
            if (alone) throw;
        } catch (...) {
            claimer_->rolled_back();
            throw;
        }
    }
    return {};
}

}  // namespace jobhost::sqlite
