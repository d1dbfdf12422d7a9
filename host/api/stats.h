#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/text/json_writer.h"
#include "storage/store.h"

namespace jobhost::api {

/// All queues and types together, and what happened in the last hour.
struct Stats {
    TypeCounts now = {};
    MinuteStat hour = {};
    std::int64_t live_nodes = 0;
    std::vector<MinuteStat> minutes = {};  // of the last hour, per queue
};
Stats stats(Store& store);

Stats stats(const std::vector<TypeCounts>& counts, const std::vector<Node>& nodes,
            std::vector<MinuteStat> minutes);

/// The members `jobs`, `live_nodes` and `last_hour` of an open object.
void write_totals(JsonWriter& json, const Stats& stats);

std::string stats_json(const Stats& stats);

}  // namespace jobhost::api
