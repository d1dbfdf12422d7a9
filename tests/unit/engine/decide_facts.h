#pragma once

#include <string>
#include <vector>

#include "host/engine/decide.h"
#include "storage/overloaded.h"

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

}  // namespace jobhost
