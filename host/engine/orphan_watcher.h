#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "host/engine/current_plan.h"
#include "host/engine/decide.h"
#include "host/engine/job_events.h"
#include "host/engine/job_types.h"
#include "host/engine/membership.h"
#include "host/engine/node_proof.h"
#include "host/engine/random.h"

namespace jobhost {

/// Finds dead nodes and takes over their jobs of own types. A node is dead when the operating
/// system proves it (its lock file's lock is free and its counter stands still), or when this
/// watcher, whose own beats reached the store in time, has seen its counter stand still for that
/// node's own timeout on the steady clock. Never from a job's age, never from a wall clock. Used by
/// one thread.
class OrphanWatcher {
public:
    struct Services {
        const JobTypes& types;
        Random& random;
        const Clock& clock;
        JobEvents& events;
        Membership& membership;
        NodeProof& proof;
        std::function<void(std::vector<OwedRun>)> owed;  // runs that this node has to do now
    };

    OrphanWatcher(const CurrentPlan& plans, std::unique_ptr<Store> session, Services services);

    /// One round. Throws StorageError.
    void tick();

    /// A round unless all is well: the store was asked within the last second, and the lock files
    /// say that no node on this machine has come or died since. What an idle node does often must
    /// cost little.
    void look();

private:
    struct Seen {
        std::int64_t beats = 0;
        SteadyPoint since = {};
        std::int64_t file_beats = 0;
        SteadyPoint file_since = {};
    };

    struct Watched {
        NodeId id = 0;
        NodeRegistration registration = {};
    };

    bool all_is_well(SteadyPoint now);
    bool file_is_silent(NodeId node, const NodeFileLook& look, SteadyPoint now);
    std::optional<std::string> found_dead(const Node& node, SteadyPoint now);
    int take_orphans(const std::vector<Node>& nodes);
    struct Resolved {
        RunReport report = {};
        std::string detail = {};  // see Decision
    };
    Resolved resolve(const Orphan& orphan, const std::vector<Node>& nodes);
    bool leave_to_other(const Orphan& orphan, const std::vector<Node>& nodes) const;
    void say(const Orphan& orphan, const RunReport& report, const std::string& detail);
    void take_dead_letters();

    const CurrentPlan& plans_;
    std::shared_ptr<const Plan> plan_;  // of this round
    const std::unique_ptr<Store> session_;
    const Services services_;
    const std::vector<std::string> own_types_;
    std::unordered_map<NodeId, Seen> seen_ = {};
    std::vector<Watched> watched_ = {};  // other live nodes, as of the last round
    SteadyPoint next_round_ = SteadyPoint::min();
    std::int64_t folder_stamp_ = 0;  // before the last round
    int left_to_others_ = 0;  // in the last list: exhausted, and another live node has the handler
    SteadyPoint next_adoption_ = SteadyPoint::min();
};

}  // namespace jobhost
