#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/engine/current_plan.h"
#include "host/engine/engine.h"
#include "host/engine/membership.h"
#include "host/engine/node_proof.h"

namespace jobhost {

/// Decides for a node that runs until it is empty when that is, and what it leaves behind. Own is a
/// job whose type this node has loaded and whose queue it works on. Used by one thread.
///
/// An own job that another node runs holds this one up only as long as nobody knows that the other
/// one lives: a dead node's jobs become this node's own work as soon as its death is proven.
class UntilEmpty {
public:
    struct Services {
        const CurrentPlan& plans;
        const JobTypes& types;
        const Clock& clock;
        JobEvents& events;
        const Membership& membership;
        NodeProof& proof;
        std::function<bool()> is_idle;                   ///< nothing runs in this process
        std::function<void(SteadyPoint)> wait_for_news;  ///< until something ended, or then
    };

    UntilEmpty(std::unique_ptr<Store> session, Services services);

    /// True: empty. False: `stopped`, which is asked again and again, said so.
    bool wait(const std::function<bool()>& stopped);

    Leftover leftover();

private:
    /// What was last seen of another node, and since when.
    struct Seen {
        std::int64_t beats = 0;
        std::int64_t file_beats = 0;
        SteadyPoint moved_at = SteadyPoint::min();       ///< min: not yet
        SteadyPoint file_moved_at = SteadyPoint::min();  ///< of the lock file's counter
    };

    bool is_empty();
    bool is_own(const std::string& queue, const std::string& type) const;
    Leftover count_waiting(std::int64_t cap, std::int64_t& due);
    std::map<NodeId, std::int64_t> jobs_on_other_nodes();
    bool waits_for_the_silent();
    void look_at(const Node& node);
    bool lives(const Node& node) const;
    void say_what_is_waited_for(const std::map<NodeId, std::int64_t>& silent,
                                const std::vector<Node>& nodes);

    const std::unique_ptr<Store> session_;
    const Services services_;
    std::map<NodeId, Seen> seen_ = {};
    std::string said_ = {};  ///< the last sentence about what is waited for
    bool waits_for_others_ = false;
};

}  // namespace jobhost
