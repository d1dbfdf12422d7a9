#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "storage/job.h"

namespace jobhost {

/// The right to finish one run of one job. `fence` grows with every claim and never goes back, so a
/// lease that was lost to an orphan watcher, or already used, can never finish a later run.
struct Lease {
    JobId job = 0;
    NodeId node = 0;
    std::int64_t fence = 0;
    std::int64_t token = 0;  // the storage engine's own, given with the claim, handed back as it is
};

/// Which dead-letter run a failed job owes: its type's handler, or a forwarder.
enum class DeadLetterKind { kHandler = 1, kForwarder = 2 };
struct OwedDeadLetter {
    DeadLetterKind kind = DeadLetterKind::kHandler;
    std::string name = {};  // the job type for a handler, the forwarder's name for a forwarder
};

// The ways out of *processing*:
//
//                       +-- Succeed --> succeeded
//                       |-- Retry   --> waiting, later; attempt used
//      processing ------|-- Snooze  --> waiting, later; attempt given back, a snooze counted
//                       |-- Release --> waiting, its old place; attempt given back
//                       |-- Fail    --> failed, and the dead-letter runs it owes, in one
//                       transaction
//                       |-- Cancel  --> cancelled
//                       +-- Expire  --> expired (was claimed, but too late to be started)
//
// A Retry, Snooze or Release of a job that an operator asked to cancel ends it as cancelled.

struct Succeed {
    std::vector<NewJob> jobs = {};  // stored in the same transaction, dropped with a lost lease
};
struct Retry {
    Duration delay = {};  // counted by the store's clock
    JobError why = {};
    bool orphaned = false;  // the node died: counts as one more orphaning
};
struct Snooze {
    Duration delay = {};
};
struct Release {};
struct Fail {
    JobError why = {};
    std::string reason = {};  // `exhausted`, `must_not_retry`, ...
    std::vector<OwedDeadLetter> owed = {};
};
struct Cancel {
    std::string reason = {};
    std::optional<JobError> why = {};
};
struct Expire {};

using Transition = std::variant<Succeed, Retry, Snooze, Release, Fail, Cancel, Expire>;

}  // namespace jobhost
