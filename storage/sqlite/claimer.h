#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "storage/sql/claim_plan.h"
#include "storage/sql/lane.h"
#include "storage/sqlite/session.h"
#include "storage/storage.h"

namespace jobhost::sqlite {

using sql::ClaimPlan;
using sql::Lane;

/// Claims jobs for one session. In a queue: priority, then run_at, then id, across the types of the
/// plan. Types of others cost nothing: empty and foreign lanes are jumped over in the index.
class Claimer {
public:
    explicit Claimer(Session& session) : session_(session), plan_({}) {}

    void set_plan(std::vector<ClaimQueue> plan) { plan_ = ClaimPlan(std::move(plan)); }
    void rolled_back() { plan_.forget_numbers(); }

    /// Inside a write transaction of a live node.
    void claim(NodeId node, std::string_view service, std::span<const Demand> demands,
               TimePoint now, Exchanged& exchanged);

private:
    struct OwnLane {
        Lane lane = 0;
        const ClaimPlan::Type* type = nullptr;
    };
    struct Waiting {  // a row of pending
        std::int64_t run_at = 0;
        JobId id = 0;
        std::int64_t attempts = 0;
        std::int64_t fence = 0;
    };
    struct Cursor;
    struct Probe {
        Lane lane = 0;
        std::int64_t run_at = 0;
    };
    enum class Taken {
        kYes,
        kSkipped,  // stays where it is
        kExpired,
        kStop,  // nothing more for this queue
    };
    struct Statements;
    struct Call;  // what one claim() works with

    void claim_queue(Call& call, const Demand& demand);
    std::vector<OwnLane> due_lanes(Call& call, const ClaimPlan::Queue& queue, Priority priority);
    void claim_lanes(Call& call, const std::vector<OwnLane>& lanes);
    void merge(Call& call, std::vector<Cursor>& cursors);
    void remove_taken(const Cursor& cursor);
    Taken take(Call& call, const Cursor& cursor, const Waiting& row);
    bool read_job(Call& call, const Waiting& row, ClaimedJob& job);
    void read_history(ClaimedJob& job);
    bool insert_running(Call& call, const Cursor& cursor, const Waiting& row, int max_attempts);
    void report_broken(Call& call, JobId id, const char* what);
    Statement& cursor_statement(std::size_t index);

    Session& session_;
    ClaimPlan plan_;
    std::deque<Statement> cursor_statements_;
    std::set<JobId> told_;  // broken rows that were reported
};

}  // namespace jobhost::sqlite
