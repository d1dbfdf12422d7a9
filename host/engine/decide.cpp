#include "host/engine/decide.h"

#include <algorithm>

#include "host/engine/error_names.h"
#include "host/engine/limit_text.h"
#include "host/engine/retry_delay.h"
#include "storage/overloaded.h"

namespace jobhost {
namespace {

/// Whether the job would run again later than its rules allow, counted from its first start.
bool is_past_retry_for(const RunFacts& job, const Rules& rules, TimePoint now, Duration delay) {
    // Differences only: an endless retry_for must not overflow.
    return rules.retry_for.value && job.first_started_at &&
           (now - *job.first_started_at) + delay > *rules.retry_for.value;
}

Decision failed(const RunFacts& job, ThrownError why, std::string reason, std::string detail = {}) {
    return {Fail{std::move(why.error), std::move(reason), job.dead_letters}, std::move(detail)};
}

struct ErrorRules {
    Rules rules = {};
    bool on_sets_limit = false;
};

/// The type's rules with what `on:` says for this error laid over them.
ErrorRules rules_for(const ThrownError& why, const Rules& type_rules) {
    const Sourced<OnError>* on = find_on(why, type_rules.on);
    if (on == nullptr) return {type_rules};
    return {with_on(type_rules, *on), on->value.retry.max_attempts.has_value()};
}

/// nullopt: it may be retried.
std::optional<Decision> must_not_retry(const RunFacts& job, const ThrownError& why,
                                       const Rules& rules) {
    const auto* listed = find_listed(why, rules.do_not_retry);
    if (listed == nullptr) return std::nullopt;
    return failed(job, why, "must_not_retry",
                  listed->value + (listed->origin == "built-in"
                                       ? " is on the built-in list of errors"
                                       : " is listed in do_not_retry of " + listed->origin));
}

/// Normal failure path, for whatever made the attempt fail. In this order: the list of errors that
/// must not be retried, the limit, `retry_for`.
Decision after_failure(const RunFacts& job, ThrownError why, const Rules& type_rules, TimePoint now,
                       DelaySource& delays) {
    if (auto decision = must_not_retry(job, why, type_rules)) return *std::move(decision);
    const auto [rules, on_sets_limit] = rules_for(why, type_rules);
    const int limit =
        on_sets_limit && !job.limit_requested ? rules.max_attempts.value : job.max_attempts;
    if (job.attempt >= limit) return failed(job, std::move(why), "exhausted");

    const Duration delay = std::min(why.retry_after ? std::max(*why.retry_after, Duration(0))
                                                    : delays.next(rules, job.attempt, why),
                                    kLongestDelay);
    if (is_past_retry_for(job, rules, now, delay)) {
        return failed(job, std::move(why), "retry_for elapsed");
    }
    return {Retry{delay, std::move(why.error)}, {}};
}

Decision after_snooze(const RunFacts& job, const AskedToSnooze& snooze, const Rules& rules,
                      TimePoint now) {
    const Duration delay =
        std::clamp(snooze.delay, Duration(std::chrono::seconds(1)), kLongestDelay);
    if (job.snoozes >= job.max_snoozes) {
        return failed(job,
                      host_error("jobhost::Snooze", "snoozed " + std::to_string(job.snoozes) +
                                                        " times, the most that limits.max_snoozes "
                                                        "allows"),
                      "exhausted");
    }
    if (is_past_retry_for(job, rules, now, delay)) {
        return failed(job, host_error("jobhost::Snooze", "snoozed past retry_for"),
                      "retry_for elapsed");
    }
    return {Snooze{delay}, {}};
}

Decision after_timeout(const RunFacts& job, const RunEnd& end, const Rules& rules, TimePoint now,
                       DelaySource& delays) {
    ThrownError why = host_error(kTimeoutError,
                                 "did not end within its time limit of " + limit_text(end.timeout));
    if (const auto* threw = std::get_if<Threw>(&end.result)) {
        why.error.message +=
            "; caused by " + threw->why.error.type + ": " + threw->why.error.message;
        why.error.stack_trace = threw->why.error.stack_trace;
        why.causes.push_back(threw->why.error.types);
    }
    Decision decision = after_failure(job, std::move(why), rules, now, delays);
    decision.late_success = std::holds_alternative<Returned>(end.result);
    return decision;
}

/// What the job's own code said, when nobody asked it to stop.
Decision after_own_end(const RunFacts& job, const RunEnd& end, const Rules& rules, TimePoint now,
                       DelaySource& delays) {
    return std::visit(
        Overloaded{
            [&](const Returned&) -> Decision {
                return {Succeed{end.on_success}, {}};
            },
            [&](const Threw& threw) { return after_failure(job, threw.why, rules, now, delays); },
            [&](const LeftEarly&) {
                return after_failure(
                    job,
                    host_error(kPluginContractError, "left early although nobody asked it to stop"),
                    rules, now, delays);
            },
            [&](const AskedToSnooze& snooze) { return after_snooze(job, snooze, rules, now); },
            [&](const AskedToDiscard& discard) -> Decision {
                return {Cancel{"discarded by job: " + discard.reason, {}}, {}};
            },
            [&](const AskedForDeadLetter& dead) {
                return failed(job, dead.why, "by job", dead.reason);
            },
        },
        end.result);
}

}  // namespace

Decision decide(const RunFacts& job, const RunEnd& end, const Rules& rules, TimePoint now,
                DelaySource& delays) {
    if (end.completed) return {Succeed{end.on_success}, {}};
    const bool returned = std::holds_alternative<Returned>(end.result);
    switch (end.cause) {
        case StopCause::kTimeout: return after_timeout(job, end, rules, now, delays);
        case StopCause::kShutdown:
            // Never looked at the request and came to its end: the work is done.
            if (returned && !end.saw_stop) return {Succeed{end.on_success}, {}};
            return {Release{}, {}};
        case StopCause::kOperator:
            if (!end.saw_stop) break;
            if (const auto* threw = std::get_if<Threw>(&end.result)) {
                return {Cancel{"cancelled by " + end.cancelled_by, threw->why.error}, {}};
            }
            return {Cancel{"cancelled by " + end.cancelled_by, {}}, {}};
        case StopCause::kNone:
        case StopCause::kLeaseLost: break;
    }
    return after_own_end(job, end, rules, now, delays);
}

Decision decide_orphan(const RunFacts& job, const std::string& node, const std::string& death,
                       bool started, const Rules& type_rules, TimePoint now, DelaySource& delays) {
    if (!started) return {Release{}, {}};
    ThrownError why =
        host_error(kOrphanedJobError, "node " + node + " died (" + death +
                                          ") while it ran attempt " + std::to_string(job.attempt) +
                                          " of " + std::to_string(job.max_attempts) + " of job " +
                                          std::to_string(job.id));
    if (auto decision = must_not_retry(job, why, type_rules)) return *std::move(decision);
    // Of the limit only what was stored at the claim counts, whoever looks at the orphan.
    const Rules rules = rules_for(why, type_rules).rules;
    if (job.attempt >= job.max_attempts) return failed(job, std::move(why), "orphaned");

    // The first time at once; a job that keeps killing its nodes must not do so at full speed.
    Duration delay{0};
    if (job.orphanings > 0) {
        const int doublings = std::min(job.orphanings, 24) + 1;  // this one is the next in the row
        const Duration least = std::chrono::seconds(std::int64_t{1} << doublings);
        delay = std::min(std::max(least, delays.next(rules, job.attempt, why)), kLongestDelay);
    }
    if (is_past_retry_for(job, rules, now, delay)) {
        return failed(job, std::move(why), "retry_for elapsed");
    }
    return {Retry{delay, std::move(why.error), true}, {}};
}

}  // namespace jobhost
