#include "storage/sql/claim_plan.h"

#include <algorithm>

namespace jobhost::sql {

void ClaimPlan::prepare(Session& session, std::string_view service) {
    if (queues_.size() != plan_.size()) {
        queues_.clear();
        for (const ClaimQueue& queue : plan_) {
            Queue known{.id = session.names().id_of(NameKind::kQueue, queue.name)};
            for (std::size_t index = 0; index < queue.types.size(); ++index) {
                const ClaimType& type = queue.types[index];
                known.types.push_back({.id = session.names().id_of(NameKind::kType, type.name),
                                       .index = index,
                                       .max_attempts = std::max(type.max_attempts, 1)});
            }
            std::ranges::sort(known.types, {}, &Type::id);
            queues_.push_back(std::move(known));
        }
    }
    read_pauses(session, service);
}

void ClaimPlan::read_pauses(Session& session, std::string_view service) {
    if (some_paused_) {
        for (Queue& queue : queues_) {
            queue.paused = false;
            for (Type& type : queue.types) type.paused = false;
        }
        some_paused_ = false;
    }
    Query row = session.query("SELECT kind, name FROM pause WHERE service = '' OR service = ?");
    row.bind_all(service);
    while (row.step()) {
        some_paused_ = true;
        set_paused(static_cast<Pause::Kind>(row.integer(0)), row.view(1));
    }
}

void ClaimPlan::set_paused(Pause::Kind kind, std::string_view name) {
    for (std::size_t index = 0; index < plan_.size(); ++index) {
        if (kind == Pause::Kind::kQueue) {
            queues_[index].paused = queues_[index].paused || plan_[index].name == name;
            continue;
        }
        for (Type& type : queues_[index].types) {
            type.paused = type.paused || plan_[index].types[type.index].name == name;
        }
    }
}

}  // namespace jobhost::sql
