#include "host/engine/plan.h"

#include <algorithm>

namespace jobhost {

std::vector<PolicyLevel> policy_levels(const EngineSettings& settings, const JobTypes& types,
                                       const std::string& queue, const std::string& type) {
    std::vector<PolicyLevel> levels;
    for (const auto& [name, level] : settings.jobs) {
        if (name == type) levels.push_back(level);
    }
    if (const LoadedType* loaded = types.find(type)) levels.push_back(loaded->policy);
    for (const QueueSettings& settings_of_queue : settings.queues) {
        if (settings_of_queue.name == queue) levels.push_back(settings_of_queue.policy);
    }
    levels.push_back(settings.global);
    return levels;
}

TypePlan type_plan(const EngineSettings& settings, const JobTypes& types, const std::string& queue,
                   const LoadedType& type) {
    TypePlan plan;
    plan.type = &type;
    plan.rules = merge(policy_levels(settings, types, queue, type.name));
    if (type.handler) plan.dead_letters.push_back({DeadLetterKind::kHandler, type.name});
    for (const LoadedForwarder& forwarder : types.forwarders) {
        plan.dead_letters.push_back({DeadLetterKind::kForwarder, forwarder.name});
    }
    return plan;
}

std::shared_ptr<const Plan> make_plan(EngineSettings settings, const JobTypes& types) {
    auto plan = std::make_shared<Plan>();
    for (const QueueSettings& queue : settings.queues) {
        QueuePlan queue_plan{queue.name, queue.workers, {}};
        for (const LoadedType& type : types.types) {
            queue_plan.types.push_back(type_plan(settings, types, queue.name, type));
        }
        plan->queues.push_back(std::move(queue_plan));
    }
    plan->settings = std::move(settings);
    return plan;
}

std::vector<ClaimQueue> claim_plan(const Plan& plan) {
    std::vector<ClaimQueue> queues;
    for (const QueuePlan& queue : plan.queues) {
        ClaimQueue claim{queue.name, {}};
        for (const TypePlan& type : queue.types) {
            claim.types.push_back({type.type->name, type.rules.max_attempts.value});
        }
        queues.push_back(std::move(claim));
    }
    return queues;
}

}  // namespace jobhost
