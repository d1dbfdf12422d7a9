#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "storage/store.h"

namespace jobhost::api {

/// What the store knows about one job and its surroundings at one moment.
struct WhyFacts {
    Job job = {};
    TimePoint now = {};            // by the store's clock
    std::vector<Node> nodes = {};  // live, dead and stopped ones
    std::vector<Pause> pauses = {};
    std::int64_t due_in_queue = 0;  // waiting jobs of the job's queue that are due, itself included
    bool due_is_capped = false;     // there are more than that
    std::vector<DeadLetter> dead_letters = {};  // the job's runs, of a failed job
};

struct Why {
    std::string code = {};  // stable, for programs: `scheduled`, `paused_queue`, `orphaned`, ...
    std::string sentence = {};  // for people, with a full stop
};

/// Why the job is not running; when it runs or has ended, that.
///
/// Codes: scheduled, retry_waits, snoozed, deadline_passed, no_live_node_for_type,
/// no_live_node_for_queue, nodes_silent, paused_queue, paused_type, waits_for_worker, awaiting,
/// claimed, running, cancel_requested, stopping, node_silent, orphaned, and the terminal states'
/// names.
Why explain_why(const WhyFacts& facts);

/// What the store knows; nullopt when there is no such job.
std::optional<WhyFacts> why_facts(Store& store, JobId id);

std::string why_json(const Job& job, const Why& why);

}  // namespace jobhost::api
