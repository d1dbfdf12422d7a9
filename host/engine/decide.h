#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/engine/policy.h"
#include "host/engine/run_result.h"
#include "storage/transition.h"

namespace jobhost {

/// What the decision needs to know of the job.
struct RunFacts {
    JobId id = 0;
    std::string type = {};
    int attempt = 0;               // executions that count, this one included
    int max_attempts = 0;          // as stored at the claim
    bool limit_requested = false;  // the enqueuer passed a limit: `on:` never lifts it
    int snoozes = 0;
    int orphanings = 0;
    int max_snoozes = 1000;
    std::optional<TimePoint> first_started_at = {};
    std::vector<OwedDeadLetter> dead_letters = {};  // what the job owes should it fail
};

/// How a run ended, with everything that happened to it meanwhile.
struct RunEnd {
    RunResult result = {};
    StopCause cause = StopCause::kNone;  // never kLeaseLost: such a run decides nothing
    bool saw_stop = false;               // the job looked at the request to stop
    bool completed = false;              // `complete()` came before any cause
    std::string cancelled_by = {};       // for kOperator
    Duration timeout = {};               // for kTimeout: the limit
    std::vector<NewJob> on_success = {};
};

/// Draws a delay: the decision's only source of chance. `attempts_made` is at least 1.
class DelaySource {
public:
    virtual ~DelaySource() = default;
    virtual Duration next(const Rules& rules, int attempts_made, const ThrownError& why) = 0;
};

struct Decision {
    Transition next = {};
    std::string detail = {};    // for must_not_retry: which name, listed where
    bool late_success = false;  // it returned well after its time limit had decided
};

/// THE state machine: how a run that still holds its lease leaves `processing`. Pure: no clock, no
/// I/O; chance comes in through `delays` and is only asked when there is a retry.
Decision decide(const RunFacts& job, const RunEnd& end, const Rules& rules, TimePoint now,
                DelaySource& delays);

/// The same for a job whose node died. `started` false: it is known that the run never began.
Decision decide_orphan(const RunFacts& job, const std::string& node, const std::string& death,
                       bool started, const Rules& type_rules, TimePoint now, DelaySource& delays);

}  // namespace jobhost
