#pragma once

#include <string>
#include <vector>

#include "host/observe/latency_minutes.h"
#include "storage/store.h"

namespace jobhost::api {

/// Something an operator should know now.
struct Warning {
    std::string code = {};  // stable, for programs
    std::string text = {};  // one sentence
    std::string type = {};  // what it is about; empty: none
    std::string queue = {};
};

/// What the store says at one moment, for the page that shows whether work flows.
struct OverviewFacts {
    TimePoint now = {};
    std::vector<TypeCounts> counts = {};
    std::vector<DueCount> due = {};
    std::vector<Node> nodes = {};
    std::vector<Pause> pauses = {};
    std::vector<MinuteStat> minutes = {};
};
OverviewFacts overview_facts(Store& store);

/// Jobs that no live node can run, pauses with jobs behind them, nodes that are silent.
std::vector<Warning> warnings(const OverviewFacts& facts);

/// Who shows it.
struct OverviewNode {
    std::string service = {};
    std::string node = {};
    std::vector<MinuteLatency> latency = {};
    std::string store_error = {};  // empty: the store answers, else the facts are old
};

/// One line of JSON.
std::string overview_json(const OverviewFacts& facts, const OverviewNode& node);

}  // namespace jobhost::api
