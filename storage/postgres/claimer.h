#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "storage/postgres/session.h"
#include "storage/sql/claim_plan.h"
#include "storage/sql/lane.h"
#include "storage/storage.h"

namespace jobhost::postgres {

/// Claims jobs for one session. In a queue: priority, then run_at, then id, across the types of the
/// plan. Rows that another node has in its hands are passed over, so nodes never wait for each
/// other. Types of others cost nothing: only the plan's own lanes are looked at.
class Claimer {
public:
    explicit Claimer(Session& session) : session_(session), plan_({}) {}

    void set_plan(std::vector<ClaimQueue> plan) { plan_ = sql::ClaimPlan(std::move(plan)); }
    void rolled_back();
    void committed() {}

    /// Inside a ReadCommitted transaction of a live node.
    void claim(NodeId node, std::string_view service, std::span<const Demand> demands,
               TimePoint now, Exchanged& exchanged);

private:
    using Lane = sql::Lane;
    struct OwnLane {
        Lane lane = 0;
        const sql::ClaimPlan::Type* type = nullptr;
    };
    struct Place {  // in the order of a lane
        std::int64_t run_at = 0;
        JobId id = 0;
    };
    struct Taking;  // rows that are claimed, for one statement
    struct Call;    // what one claim() works with

    void find_due_lanes(Call& call, std::span<const Demand> demands);
    void claim_queue(Call& call, const Demand& demand);
    void claim_lanes(Call& call, const std::vector<OwnLane>& lanes);
    Place start_of(Lane lane) const;
    void remember_place(Lane lane, bool filled, const Place& last);
    void move_rows(Call& call);
    void drop_doubly_placed(Call& call);
    void find_next_due(Call& call);
    void report_broken(Call& call, JobId id, const char* what);

    Session& session_;
    sql::ClaimPlan plan_;
    /// Where busy lanes begin: what a claim removed stays in the index until a vacuum, and each
    /// claim would walk over it again. Forgotten after a second, since jobs may come in front.
    std::map<Lane, Place> starts_;
    SteadyPoint starts_forgotten_at_ = {};
    std::set<JobId> told_;  // broken rows that were reported
};

}  // namespace jobhost::postgres
