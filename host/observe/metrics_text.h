#pragma once

#include <string>
#include <vector>

#include "host/observe/counters.h"
#include "storage/job_queries.h"

namespace jobhost {

/// What the store says about all nodes' jobs.
struct StoreGauges {
    TimePoint now = {};
    std::vector<TypeCounts> jobs = {};
    std::vector<DueCount> due = {};  // each up to kDueCap
};

/// A count of due jobs stops here: what is more says nothing more to an alert.
inline constexpr std::int64_t kDueCap = 10'000;

/// Names of queues come from whoever enqueues: of more than so many, the rest is `_other`.
inline constexpr std::size_t kMostQueueLabels = 100;

/// Prometheus' text format 0.0.4. `gauges` nullptr: the store did not answer, and its numbers are
/// left out.
std::string metrics_text(const Counters& counters, const StoreGauges* gauges);

}  // namespace jobhost
