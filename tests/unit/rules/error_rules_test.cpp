// SPEC 6, rule by rule: errors that are not retried, and errors with a will of their own.
#include <fstream>
#include <sstream>

#include "host/observe/log_events.h"
#include "host/plugin/plugin_error.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/plugin/hand_made.h"
#include "tests/unit/rules/level.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

// ---- errors that must not be retried

/// Thrown as the plugin border reports it: `Outer` around as many `Inner` as told, the innermost
/// called `Root`.
ThrownError nested(int levels) {
    std::vector<jobhost_error> chain(static_cast<std::size_t>(levels) + 1);
    std::vector<const jobhost_error*> links(chain.size());
    for (std::size_t i = 0; i < chain.size(); ++i) {
        chain[i] = c_error(i == 0 ? "Outer" : i + 1 == chain.size() ? "Root" : "Inner", "x");
    }
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
        links[i] = &chain[i + 1];
        chain[i].causes = &links[i];
        chain[i].n_causes = 1;
    }
    return thrown_error(chain[0]);
}

ThrownError aggregate(int elements) {
    const jobhost_error one = c_error("Root", "x");
    const std::vector<const jobhost_error*> links(static_cast<std::size_t>(elements), &one);
    jobhost_error all = c_error("jobhost::AggregateError", "x");
    all.flags = JOBHOST_ERROR_AGGREGATE;
    all.causes = links.data();
    all.n_causes = links.size();
    return thrown_error(all);
}

RunEnd timed_out() {
    RunEnd end = ended(Returned{});
    end.cause = StopCause::kTimeout;
    end.timeout = 90s;
    return end;
}

std::string orphan(const Rules& rules = {}) {
    FakeDelays delays;
    return in_words(
        decide_orphan(first_of_three(), "n1", "killed", true, rules, kNow, delays).next);
}

std::string log_line_of_a_listed_error() {
    const TempDir folder;
    const std::string file = (folder.path() / "log").string();
    Log log({.file = file});
    LogEvents events(log);
    FakeDelays delays;
    const Decision decision =
        decide(first_of_three(), failed_with(thrown("Bad")), not_retried("Bad"), kNow, delays);
    const Fail& fail = std::get<Fail>(decision.next);
    events.job_failed({.job = 7, .type = "t", .queue = "q", .attempt = 1}, fail.why, fail.reason,
                      decision.detail);
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    const std::string line = text.str();
    const bool says_why =
        line.find("must not be retried (Bad is listed in do_not_retry of jobs.mail.send)") !=
        std::string::npos;
    return std::string(line.find(" info ") != std::string::npos ? "info" : "not info") +
           (says_why ? ", says why" : ", does not say why: " + line);
}

// ---- errors with a will of their own

ThrownError retry_after(Duration delay) {
    ThrownError why = thrown("jobhost::RetryAfter");
    why.retry_after = delay;
    return why;
}

RetryLevel at_most_a_minute() {
    return {.initial_delay = 1s, .max_delay = 1min};
}

RunFacts snoozed(int times) {
    RunFacts job = first_of_three();
    job.attempt = 3;
    job.snoozes = times;
    job.max_snoozes = 1000;
    return job;
}

class ErrorRules : public testing::TestWithParam<PureRule> {};

TEST_P(ErrorRules, Hold) {
    EXPECT_EQ(GetParam().shows(), GetParam().outcome) << GetParam().words;
}

const PureRule kMustNot[] = {
    {"an error that nobody lists is retried",
     [] { return outcome_of(thrown("Down"), not_retried("Bad")); }, "retry in 30 s: Down"},
    {"a listed error fails at once", [] { return outcome_of(thrown("Bad"), not_retried("Bad")); },
     "fail, must_not_retry: Bad"},
    {"so does one with a listed base",
     [] {
         return outcome_of(thrown("Bad", {"Base", "std::exception"}), not_retried("Base"));
     },
     "fail, must_not_retry: Bad"},
    {"a listed derived type does not match its base",
     [] { return outcome_of(thrown("Base"), not_retried("Bad")); }, "retry in 30 s: Base"},
    {"lists of all levels are combined",
     [] {
         PolicyLevel global;
         global.do_not_retry = {"Bad"};
         PolicyLevel type;
         type.do_not_retry = {"Worse"};
         const Rules rules = merge({type, global});
         return outcome_of(thrown("Bad"), rules) + "; " + outcome_of(thrown("Worse"), rules);
     },
     "fail, must_not_retry: Bad; fail, must_not_retry: Worse"},
    {"full dead-letter handling is owed",
     [] {
         FakeDelays delays;
         const Decision decision =
             decide(first_of_three(), failed_with(thrown("Bad")), not_retried("Bad"), kNow, delays);
         return std::to_string(std::get<Fail>(decision.next).owed.size()) + " runs";
     },
     "2 runs"},
    {"the log says so and why", log_line_of_a_listed_error, "info, says why"},
    {"a nested cause counts", [] { return outcome_of(nested(1), not_retried("Root")); },
     "fail, must_not_retry: Outer"},
    {"so does the eighth", [] { return outcome_of(nested(8), not_retried("Root")); },
     "fail, must_not_retry: Outer"},
    {"the ninth does not", [] { return outcome_of(nested(9), not_retried("Root")); },
     "retry in 30 s: Outer"},
    {"the only element of an aggregate counts",
     [] { return outcome_of(aggregate(1), not_retried("Root")); },
     "fail, must_not_retry: jobhost::AggregateError"},
    {"an aggregate of several is not looked into",
     [] { return outcome_of(aggregate(2), not_retried("Root")); },
     "retry in 30 s: jobhost::AggregateError"},
    {"inline namespaces, ABI tags and anonymous namespaces do not matter",
     [] {
         return outcome_of(thrown("std::__cxx11::a::(anonymous namespace)::Bad[abi:cxx11]"),
                           not_retried("std::a::Bad"));
     },
     "fail, must_not_retry: std::__cxx11::a::(anonymous namespace)::Bad[abi:cxx11]"},
    {"TimeoutError can be listed",
     [] {
         return outcome(first_of_three(), timed_out(), not_retried("jobhost::TimeoutError")) +
                "; " + outcome(first_of_three(), timed_out());
     },
     "fail, must_not_retry: jobhost::TimeoutError; retry in 30 s: jobhost::TimeoutError"},
    {"OrphanedJobError can be listed",
     [] { return orphan(not_retried("jobhost::OrphanedJobError")) + "; " + orphan(); },
     "fail, must_not_retry: jobhost::OrphanedJobError; retry in 0 s: jobhost::OrphanedJobError"},
    {"PayloadError is on the list by default",
     [] { return outcome_of(host_error(kPayloadError, "no"), rules_of({})); },
     "fail, must_not_retry: jobhost::PayloadError"},
    {"retry_payload_errors takes it off",
     [] {
         PolicyLevel level;
         level.retry_payload_errors = true;
         return outcome_of(host_error(kPayloadError, "no"), rules_of(level));
     },
     "retry in 30 s: jobhost::PayloadError"},
    {"without attempts left a job is exhausted",
     [] { return last_of_three(failed_with(thrown("Down"))); }, "fail, exhausted: Down"},
};
INSTANTIATE_TEST_SUITE_P(MustNotRetry, ErrorRules, testing::ValuesIn(kMustNot),
                         name_of_rule<PureRule>);

const PureRule kOwnWill[] = {
    {"RetryAfter replaces the delay and is not cut by max_delay",
     [] { return outcome_of(retry_after(1h), rules_of(level_of(at_most_a_minute()))); },
     "retry in 3600 s: jobhost::RetryAfter"},
    {"RetryAfter never beats the limit", [] { return last_of_three(failed_with(retry_after(1h))); },
     "fail, exhausted: jobhost::RetryAfter"},
    {"RetryAfter never beats do_not_retry",
     [] { return outcome_of(retry_after(1h), not_retried("jobhost::RetryAfter")); },
     "fail, must_not_retry: jobhost::RetryAfter"},
    {"RetryAfter never beats retry_for",
     [] { return outcome_of(retry_after(1h), rules_of(level_of({.retry_for = 10min}))); },
     "fail, retry_for elapsed: jobhost::RetryAfter"},
    {"retry_for counts from the first start and takes the next delay in",
     [] {
         RunFacts job = first_of_three();
         job.first_started_at = kNow - 1min;
         return outcome(job, failed_with(thrown("Down")), rules_of(level_of({.retry_for = 90s}))) +
                "; " +
                outcome(job, failed_with(thrown("Down")), rules_of(level_of({.retry_for = 89s})));
     },
     "retry in 30 s: Down; fail, retry_for elapsed: Down"},
    {"DeadLetter fails for good now",
     [] {
         return outcome(first_of_three(),
                        ended(AskedForDeadLetter{"no", thrown("jobhost::DeadLetter")}));
     },
     "fail, by job: jobhost::DeadLetter"},
    {"Discard ends as cancelled",
     [] { return outcome(first_of_three(), ended(AskedToDiscard{"stale"})); },
     "cancel, discarded by job: stale"},
    {"Snooze runs the job again after its time",
     [] { return outcome(first_of_three(), ended(AskedToSnooze{90s})); }, "snooze 90 s"},
    {"Snooze lasts at least a second",
     [] { return outcome(first_of_three(), ended(AskedToSnooze{1ms})); }, "snooze 1 s"},
    {"Snooze uses no attempt so the last may snooze",
     [] { return outcome(snoozed(0), ended(AskedToSnooze{5s})); }, "snooze 5 s"},
    {"the last of max_snoozes is allowed",
     [] { return outcome(snoozed(999), ended(AskedToSnooze{5s})); }, "snooze 5 s"},
    {"max_snoozes ends it as failed",
     [] { return outcome(snoozed(1000), ended(AskedToSnooze{5s})); },
     "fail, exhausted: jobhost::Snooze"},
    {"retry_for ends a snooze as failed",
     [] {
         return outcome(first_of_three(), ended(AskedToSnooze{1h}),
                        rules_of(level_of({.retry_for = 10min})));
     },
     "fail, retry_for elapsed: jobhost::Snooze"},
};
INSTANTIATE_TEST_SUITE_P(OwnWill, ErrorRules, testing::ValuesIn(kOwnWill), name_of_rule<PureRule>);

}  // namespace
}  // namespace jobhost
