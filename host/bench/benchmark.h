#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/bench/measurements.h"

namespace jobhost::bench {

/// One figure of a store.
struct Row {
    std::string name = {};   // in JSON
    std::string title = {};  // for people
    std::string unit = {};   // jobs/s, us, ...
    double value = 0;
    std::optional<double> bare = {};  // the same by the engine alone
    bool less_is_better = false;

    /// Which share of what the engine can do alone the store does.
    std::optional<double> ratio() const;
};

struct BenchmarkOptions {
    int jobs = 100'000;   // of each measurement of many
    int samples = 2'000;  // of each measurement of one
    int workers = 10;
    ShouldStop stop = [] { return false; };
    std::function<void(const std::string& what)> progress = [](const std::string&) {};
};

struct StoreFigures {
    std::string store = {};  // engine, version, place, durability
    std::vector<Row> rows = {};
};

/// The main figures of a store like this one, in scratch stores beside it, which are gone on
/// return, however it returns. Starts this program again as a node (see NodeProcess).
StoreFigures run_benchmark(const StoreOptions& beside, const BenchmarkOptions& options);

}  // namespace jobhost::bench
