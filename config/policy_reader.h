#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"
#include "config/map_reader.h"

namespace jobhost::config {

/// Of a queue, or for dead-letter runs.
inline constexpr int kMostWorkers = 1000;

/// Where in the file a policy stands.
enum class PolicyLevel { kJobType, kQueue, kGlobal };

/// Reads `retry` and `timeout` of one level.
void read_policy(MapReader& level, Policy& into, PolicyLevel kind);

/// The words of `dead_letter.delivery`.
std::vector<std::pair<std::string_view, DeadLetterDelivery>> delivery_words();

/// Reads `queues` and `jobs`.
void read_queues(MapReader& root, std::vector<QueueConfig>& into);
void read_jobs(MapReader& root, std::map<std::string, JobTypeConfig, std::less<>>& into);

}  // namespace jobhost::config
