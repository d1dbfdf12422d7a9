#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "storage/sql/enqueue_batch.h"
#include "storage/sql/session.h"
#include "storage/sql/transitions.h"
#include "storage/storage.h"

namespace jobhost::sql {

/// Reasons why items can never be stored, by index; known before the transaction.
using Refusals = std::map<std::size_t, std::string>;
Refusals refusals_of(std::span<const Write> writes, std::size_t max_input_bytes);

/// Notes alone need not be durable.
Durability durability_of(std::span<const Write> writes);

bool has_demand(std::span<const Demand> demands);

/// The service of a live node; nullopt: it is not live any more.
std::optional<std::string> service_of_live_node(Session& session, NodeId node);

/// Applies the writes of one exchange, inside its transaction.
class ExchangeWriter {
public:
    ExchangeWriter(Session& session, NodeId node, TimePoint now, const Refusals& refusals,
                   const MakeBatch& make_batch);

    WriteAnswer apply(std::size_t index, const Write& write);

    /// As apply(), but an item whose values the engine cannot store is undone and refused alone.
    WriteAnswer apply_alone(std::size_t index, const Write& write);

private:
    WriteAnswer enqueue_more(const EnqueueJobs& more);

    Session& session_;
    const NodeId node_;
    const TimePoint now_;
    const Refusals& refusals_;
    const MakeBatch& make_batch_;
    Transitions transitions_;
};

}  // namespace jobhost::sql
