#pragma once

#include <string>
#include <vector>

#include "host/engine/decide.h"
#include "storage/overloaded.h"
#include "tests/support/scripted_types.h"

namespace jobhost {

/// Answers the same delay each time and keeps what it was asked.
class FakeDelays final : public DelaySource {
public:
    explicit FakeDelays(Duration answer = std::chrono::seconds(30)) : answer_(answer) {}

    Duration next(const Rules& rules, int attempts_made, const ThrownError&) override {
        ++asked;
        last_rules = rules;
        last_attempts = attempts_made;
        return answer_;
    }

    int asked = 0;
    Rules last_rules = {};
    int last_attempts = 0;

private:
    const Duration answer_;
};

inline std::string seconds_text(Duration delay) {
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(delay).count()) + " s";
}

/// A transition in a few words, so that a table reads like the contract: `retry in 30 s: Type`.
inline std::string in_words(const Transition& next) {
    return std::visit(
        Overloaded{
            [](const Succeed& succeed) {
                return "succeed with " + std::to_string(succeed.jobs.size()) + " jobs";
            },
            [](const Retry& retry) {
                return "retry in " + seconds_text(retry.delay) + ": " + retry.why.type;
            },
            [](const Snooze& snooze) { return "snooze " + seconds_text(snooze.delay); },
            [](const Release&) { return std::string("release"); },
            [](const Fail& fail) { return "fail, " + fail.reason + ": " + fail.why.type; },
            [](const Cancel& cancel) {
                return "cancel, " + cancel.reason + (cancel.why ? ": " + cancel.why->type : "");
            },
            [](const Expire&) { return std::string("expire"); },
        },
        next);
}

/// The rules of one level that says all this.
inline Rules rules_of(PolicyLevel level) {
    if (level.origin.empty()) level.origin = "jobs.mail.send";
    return merge({std::move(level)});
}

/// When every decision is made.
inline constexpr TimePoint kNow{std::chrono::seconds(1'800'000'000)};

/// The first of three attempts.
inline RunFacts first_of_three() {
    RunFacts job;
    job.type = "mail.send";
    job.attempt = 1;
    job.max_attempts = 3;
    job.first_started_at = kNow;
    job.dead_letters = {{DeadLetterKind::kHandler, "mail.send"},
                        {DeadLetterKind::kForwarder, "audit"}};
    return job;
}

inline RunEnd ended(RunResult result) {
    RunEnd end;
    end.result = std::move(result);
    return end;
}

inline RunEnd failed_with(ThrownError why) {
    return ended(Threw{std::move(why)});
}

/// What is decided when the next delay is 30 s.
inline std::string outcome(const RunFacts& job, const RunEnd& end, const Rules& rules = {}) {
    FakeDelays delays;
    return in_words(decide(job, end, rules, kNow, delays).next);
}

/// The rules of a type with this name in its do_not_retry.
inline Rules not_retried(const std::string& name) {
    PolicyLevel level;
    level.do_not_retry = {name};
    return rules_of(level);
}

}  // namespace jobhost
