#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/engine/engine.h"
#include "host/engine/job_types.h"
#include "host/engine/policy.h"

namespace jobhost {

/// One type in one queue: what runs it, by which rules, and what it owes should it fail.
struct TypePlan {
    const LoadedType* type = nullptr;
    Rules rules = {};
    std::vector<OwedDeadLetter> dead_letters = {};
};

struct QueuePlan {
    std::string name = {};
    int workers = 0;
    std::vector<TypePlan> types = {};  // same order as in ClaimQueue
};

/// The settings in force, resolved: constant once made, shared by the runs that started with it.
struct Plan {
    EngineSettings settings = {};
    std::vector<QueuePlan> queues = {};
};

std::shared_ptr<const Plan> make_plan(EngineSettings settings, const JobTypes& types);

/// What the store needs to claim by that plan.
std::vector<ClaimQueue> claim_plan(const Plan& plan);

/// The plan of one type in any queue, also one that this node does not work on.
TypePlan type_plan(const EngineSettings& settings, const JobTypes& types, const std::string& queue,
                   const LoadedType& type);

}  // namespace jobhost
