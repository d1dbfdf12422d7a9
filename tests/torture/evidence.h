#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tests/torture/ledger.h"
#include "tests/torture/store_facts.h"

namespace jobhost::torture {

/// Ledger and store, ordered for the rules.
struct Evidence {
    Evidence(const Ledger& lines, const StoreFacts& facts);

    using Run = std::pair<std::int64_t, std::int64_t>;  // job, fence

    const Ledger& ledger;
    const StoreFacts& store;
    std::map<std::int64_t, const StoredJob*> jobs = {};
    std::map<std::int64_t, std::vector<const Line*>> starts = {};  // of a job
    std::map<Run, int> handlers = {};
    std::map<std::pair<Run, std::string>, int> forwards = {};  // by the forwarder's service
    std::set<Run> effects = {};
    std::map<std::int64_t, std::string> service_of_host = {};
    std::set<std::int64_t> stopped_in_order = {};  // hosts that ended well after SIGTERM
    std::map<std::int64_t, int> faults = {};       // of a job
    std::set<Run> orphaned = {};
    std::set<std::int64_t> requeued = {};  // or maybe so
    std::map<Run, int> owed = {};          // runs of handlers that the store knows of
};

/// The service that owns the type `a.work`: `a`.
std::string owner_of(const std::string& type);

}  // namespace jobhost::torture
