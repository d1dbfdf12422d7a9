#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/text/json_writer.h"
#include "storage/store.h"

namespace jobhost::api {

/// Due jobs are counted up to here.
inline constexpr std::int64_t kDueCap = 10'000;

/// A queue or a type, from all that the store says about it.
struct Place {
    TypeCounts counts = {};
    std::int64_t due = 0;                         // stops at the cap
    std::optional<TimePoint> oldest_run_at = {};  // of its due jobs
    int nodes = 0;                                // live ones
    std::set<std::string> services = {};
    std::vector<Pause> pauses = {};
};
using Places = std::map<std::string, Place, std::less<>>;

/// What the store knows of both at one moment.
struct PlaceFacts {
    std::vector<TypeCounts> counts = {};
    std::vector<DueCount> due = {};
    std::vector<Node> nodes = {};
    std::vector<Pause> pauses = {};
};
PlaceFacts place_facts(Store& store);

/// All queues or all types that a job, a live node or a pause names.
Places places(const PlaceFacts& facts, Pause::Kind kind);

/// Adds the counts of `more`; names stay.
void add_counts(TypeCounts& sum, const TypeCounts& more);

void write_place(JsonWriter& json, const std::string& name, const Place& place);

/// The list of all, as one document.
std::string places_json(const Places& places);

}  // namespace jobhost::api
