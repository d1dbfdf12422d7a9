// SPEC 6, rule by rule: how a failed attempt goes on.
#include <climits>

#include "host/engine/delay_drawer.h"
#include "host/engine/plan.h"
#include "host/engine/retry_delay.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_random.h"
#include "tests/support/recording_events.h"
#include "tests/unit/rules/level.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

// ---- levels

PolicyLevel with_limit(int limit) {
    PolicyLevel level;
    level.retry.max_attempts = limit;
    return level;
}

/// Every level sets the limit: 1 `jobs.<type>`, 2 the plugin, 3 the queue, 4 the global block.
/// Those that are left out set nothing.
std::string limit_of_levels(const std::string& set) {
    const auto level = [&](char name) {
        return set.find(name) == std::string::npos ? PolicyLevel{} : with_limit(name - '0');
    };
    JobTypes types;
    add_type(
        types, "mail.send", [](RunContext&) -> RunResult { return Returned{}; }, level('2'));
    EngineSettings settings;
    settings.jobs = {{"mail.send", level('1')}};
    settings.queues = {{"default", 1, level('3')}};
    settings.global = level('4');
    const Rules rules = type_plan(settings, types, "default", types.types[0]).rules;
    return std::to_string(rules.max_attempts.value);
}

Rules narrow_and_wide(RetryLevel narrow, RetryLevel wide) {
    return merge({level_of(std::move(narrow)), level_of(std::move(wide), "retry")});
}

std::string curve_of(const Rules& rules) {
    switch (rules.curve_kind.value) {
        case CurveKind::kBuiltIn: return "built-in";
        case CurveKind::kExponential: return "from " + seconds_text(rules.initial_delay.value);
        case CurveKind::kFunction: return "function " + rules.function.value;
    }
    return "unknown";
}

Rules with_on_limit(int limit) {
    PolicyLevel level = level_of({.max_attempts = 3});
    level.on = {{"Down", {.max_attempts = limit}}};
    return rules_of(level);
}

// ---- delays

/// Both ends of what can be drawn after `attempts` attempts.
std::string ends_of(const RetryLevel& retry, int attempts) {
    const Curve curve = rules_of(level_of(retry)).curve();
    FakeRandom least(0);
    FakeRandom most(1);
    const auto text = [](Duration delay) {
        return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(delay).count());
    };
    return text(draw_delay(curve, attempts, least)) + " to " +
           text(draw_delay(curve, attempts, most)) + " ms";
}

/// The longest delay of all curves at attempt numbers at which a sum or power overflows, or just
/// passes the year.
std::string longest_delay_ever() {
    Duration longest{0};
    const std::vector<RetryLevel> all = {{},
                                         {.initial_delay = 30s},
                                         {.initial_delay = 30s, .multiplier = 1e308},
                                         {.initial_delay = 24h * 365, .max_delay = 24h * 365}};
    for (const RetryLevel& retry : all) {
        for (const int attempts : {1, 10, 64, 100, 310, 1100, 65536, INT_MAX}) {
            for (const double unit : {0.0, 1.0}) {
                FakeRandom random(unit);
                const Duration delay =
                    draw_delay(rules_of(level_of(retry)).curve(), attempts, random);
                if (delay < Duration(0)) return "negative";
                longest = std::max(longest, delay);
            }
        }
    }
    return std::to_string(std::chrono::duration_cast<std::chrono::hours>(longest).count() / 24) +
           " days";
}

/// A retry of attempt 4 of 9 whose delay function answers like this, and what was said about it.
std::string drawn_by_function(const ScriptedDelay::Script& function) {
    JobTypes types;
    add_delay(types, "ours", function);
    FakeRandom random(0);
    const FakeClock clock;
    RecordingEvents events;
    const RunRef run{.job = 42, .type = "mail.send", .queue = "slow"};
    const Duration delay = DelayDrawer(types, random, clock, events, run, 9)
                               .next(rules_of(level_of({.delay = "ours"})), 4, thrown("Down"));
    const std::string warning = events.last("bad_delay").more;
    return seconds_text(delay) + (warning.empty() ? "" : ", " + warning);
}

std::string slow_function_is_said() {
    JobTypes types;
    FakeClock clock;
    add_delay(types, "ours", [&](const DelayQuestion&) -> DelayAnswer {
        clock.advance(101ms);
        return Duration(3s);
    });
    FakeRandom random(0);
    RecordingEvents events;
    DelayDrawer(types, random, clock, events, {}, 9)
        .next(rules_of(level_of({.delay = "ours"})), 1, thrown("Down"));
    return events.last("bad_delay").more;
}

class RetryRules : public testing::TestWithParam<PureRule> {};

TEST_P(RetryRules, Hold) {
    EXPECT_EQ(GetParam().shows(), GetParam().outcome) << GetParam().words;
}

const PureRule kLevels[] = {
    {"jobs.<type> comes first", [] { return limit_of_levels("1234"); }, "1"},
    {"then the plugin", [] { return limit_of_levels("234"); }, "2"},
    {"then the queue", [] { return limit_of_levels("34"); }, "3"},
    {"then the global block", [] { return limit_of_levels("4"); }, "4"},
    {"built in are ten attempts", [] { return limit_of_levels(""); }, "10"},
    {"on of the error comes before the type's level",
     [] {
         PolicyLevel level = level_of({.initial_delay = 30s});
         level.on = {{"Down", {.initial_delay = 7s}}};
         FakeDelays delays;
         decide(first_of_three(), failed_with(thrown("Down")), rules_of(level), kNow, delays);
         return seconds_text(delays.last_rules.initial_delay.value);
     },
     "7 s"},
    {"of several on entries the most derived match wins whatever their order",
     [] {
         PolicyLevel level;
         level.on = {{"std::exception", {.initial_delay = 7s}}, {"Down", {.initial_delay = 9s}}};
         FakeDelays delays;
         decide(first_of_three(), failed_with(thrown("Down", {"std::exception"})), rules_of(level),
                kNow, delays);
         return seconds_text(delays.last_rules.initial_delay.value);
     },
     "9 s"},
    {"on lifts the limit of the type",
     [] { return last_of_three(failed_with(thrown("Down")), with_on_limit(4)); },
     "retry in 30 s: Down"},
    {"on lowers the limit of the type", [] { return outcome_of(thrown("Down"), with_on_limit(1)); },
     "fail, exhausted: Down"},
    {"on never lifts a limit given at enqueue",
     [] {
         RunFacts job = first_of_three();
         job.attempt = 3;
         job.limit_requested = true;
         return outcome(job, failed_with(thrown("Down")), with_on_limit(4));
     },
     "fail, exhausted: Down"},
    {"zero attempts mean one run",
     [] { return std::to_string(rules_of(with_limit(0)).max_attempts.value); }, "1"},
    {"one attempt means one run",
     [] { return std::to_string(rules_of(with_limit(1)).max_attempts.value); }, "1"},
    {"equal to the default is not the same as not set",
     [] {
         return std::to_string(
             narrow_and_wide({.max_attempts = 10}, {.max_attempts = 3}).max_attempts.value);
     },
     "10"},
    {"each field is resolved by itself",
     [] {
         const Rules rules =
             narrow_and_wide({.max_attempts = 4}, {.max_attempts = 9, .initial_delay = 5s});
         return std::to_string(rules.max_attempts.value) + ", " + curve_of(rules);
     },
     "4, from 5 s"},
    {"each value knows the level that set it",
     [] {
         const Rules rules = narrow_and_wide({.max_attempts = 4}, {.initial_delay = 5s});
         return rules.max_attempts.origin + ", " + rules.initial_delay.origin + ", " +
                rules.multiplier.origin;
     },
     "jobs.mail.send, retry, built-in"},
    {"initial_delay chooses the curve for all wider levels",
     [] { return curve_of(narrow_and_wide({.initial_delay = 5s}, {.delay = "ours"})); },
     "from 5 s"},
    {"delay chooses the curve for all wider levels",
     [] { return curve_of(narrow_and_wide({.delay = "ours"}, {.initial_delay = 5s})); },
     "function ours"},
    {"delay default returns to the built-in curve",
     [] { return curve_of(narrow_and_wide({.delay = "default"}, {.initial_delay = 5s})); },
     "built-in"},
    {"multiplier without initial_delay is an error",
     [] { return rules_of(level_of({.multiplier = 3})).contradiction.substr(0, 30); },
     "jobs.mail.send sets multiplier"},
    {"max_delay without initial_delay is an error",
     [] { return rules_of(level_of({.max_delay = 3s})).contradiction.substr(0, 29); },
     "jobs.mail.send sets max_delay"},
};
INSTANTIATE_TEST_SUITE_P(Levels, RetryRules, testing::ValuesIn(kLevels), name_of_rule<PureRule>);

const PureRule kDelays[] = {
    {"the built-in curve waits 16 to 74 s after the first failure", [] { return ends_of({}, 1); },
     "16000 to 74000 ms"},
    {"the built-in curve waits four and a half to seven minutes after the fourth",
     [] { return ends_of({}, 4); }, "271000 to 416000 ms"},
    {"initial_delay doubles with each attempt by default and jitters by a tenth",
     [] { return ends_of({.initial_delay = 30s}, 3); }, "108000 to 132000 ms"},
    {"multiplier is the factor", [] { return ends_of({.initial_delay = 10s, .multiplier = 3}, 3); },
     "81000 to 99000 ms"},
    {"at max_delay it is drawn from nine tenths of it to all of it",
     [] { return ends_of({.initial_delay = 30s, .max_delay = 1min}, 2); }, "54000 to 60000 ms"},
    {"just below max_delay it never exceeds it",
     [] { return ends_of({.initial_delay = 59s, .max_delay = 1min}, 1); }, "53100 to 60000 ms"},
    {"no delay is longer than a year nor negative", longest_delay_ever, "365 days"},
    {"no answer of a delay is longer than a year",
     [] {
         FakeDelays delays(24h * 4000);
         return in_words(
             decide(first_of_three(), failed_with(thrown("Down")), {}, kNow, delays).next);
     },
     "retry in 31536000 s: Down"},
    {"a delay function gets attempts, error and job",
     [] {
         std::string asked;
         drawn_by_function([&](const DelayQuestion& question) -> DelayAnswer {
             asked = std::to_string(question.attempts_made) + " of " +
                     std::to_string(question.max_attempts) + ", " + question.error->error.type +
                     ", job " + std::to_string(question.job) + ' ' + std::string(question.type) +
                     " in " + std::string(question.queue);
             return Duration(3s);
         });
         return asked;
     },
     "4 of 9, Down, job 42 mail.send in slow"},
    {"its answer is the delay",
     [] { return drawn_by_function([](const DelayQuestion&) { return Duration(3s); }); }, "3 s"},
    {"one that throws falls back to the built-in curve with a warning",
     [] { return drawn_by_function([](const DelayQuestion&) { return BadDelay{"threw"}; }); },
     "271 s, threw"},
    {"a negative answer falls back to the built-in curve with a warning",
     [] { return drawn_by_function([](const DelayQuestion&) { return Duration(-1); }); },
     "271 s, answered a negative delay"},
    {"over 100 ms is warned about", slow_function_is_said, "took more than 100 ms on a worker"},
};
INSTANTIATE_TEST_SUITE_P(Delays, RetryRules, testing::ValuesIn(kDelays), name_of_rule<PureRule>);

}  // namespace
}  // namespace jobhost
