#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "storage/job_queries.h"
#include "storage/sql/session.h"
#include "storage/storage.h"

namespace jobhost::sql {

/// A claim plan with the numbers of its names, and without what is paused.
class ClaimPlan {
public:
    struct Type {
        std::int64_t id = 0;
        std::size_t index = 0;  // in the plan
        int max_attempts = 0;
        bool paused = false;
    };
    struct Queue {
        std::int64_t id = 0;
        bool paused = false;
        std::vector<Type> types = {};  // by id, so by lane
    };

    /// The names need no numbers before the first prepare().
    explicit ClaimPlan(std::vector<ClaimQueue> plan) : plan_(std::move(plan)) {}

    /// Inside a write transaction: gives numbers to names that have none, and reads what is paused
    /// for this service.
    void prepare(Session& session, std::string_view service);

    /// After a rollback: numbers that were made are gone.
    void forget_numbers() { queues_.clear(); }

    const std::vector<Queue>& queues() const { return queues_; }

private:
    void read_pauses(Session& session, std::string_view service);
    void set_paused(Pause::Kind kind, std::string_view name);

    std::vector<ClaimQueue> plan_;
    std::vector<Queue> queues_;
    bool some_paused_ = false;
};

}  // namespace jobhost::sql
