#include "host/engine/policy.h"

#include <algorithm>

#include "host/engine/error_names.h"
#include "host/engine/thrown_error.h"

namespace jobhost {
namespace {

using Levels = std::vector<Sourced<RetryLevel>>;

/// The first level that sets the field, or nullptr.
template <class Field>
const Sourced<RetryLevel>* first_with(const Levels& levels, Field field) {
    const auto found = std::ranges::find_if(
        levels, [&](const Sourced<RetryLevel>& level) { return (level.value.*field).has_value(); });
    return found == levels.end() ? nullptr : &*found;
}

bool chooses_curve(const Sourced<RetryLevel>& level) {
    return level.value.initial_delay.has_value() || level.value.delay.has_value();
}

/// Numbers of an exponential curve say nothing without one: an error where a level that is as
/// narrow as the one that chose the curve, or narrower, sets them.
std::string stray_numbers(const Levels& levels, const Levels::const_iterator chosen) {
    const auto end = chosen == levels.end() ? chosen : chosen + 1;
    for (auto level = levels.begin(); level != end; ++level) {
        if (level->value.multiplier || level->value.max_delay) {
            return level->origin + " sets " +
                   (level->value.multiplier ? "multiplier" : "max_delay") +
                   ", which means nothing without initial_delay: set initial_delay, or remove it";
        }
    }
    return {};
}

void merge_exponential(Rules& rules, const Sourced<RetryLevel>& chosen) {
    rules.curve_kind = {CurveKind::kExponential, chosen.origin};
    rules.initial_delay = {*chosen.value.initial_delay, chosen.origin};
    if (const auto* level = first_with(rules.levels, &RetryLevel::multiplier)) {
        rules.multiplier = {*level->value.multiplier, level->origin};
    }
    if (const auto* level = first_with(rules.levels, &RetryLevel::max_delay)) {
        rules.max_delay = {level->value.max_delay, level->origin};
        // From a wider level it just caps; on one level it is a slip.
        if (level == &chosen && *level->value.max_delay < rules.initial_delay.value) {
            rules.contradiction = "max_delay (" + level->origin +
                                  ") is shorter than initial_delay (" + chosen.origin + ")";
        }
    }
}

void merge_retry(Rules& rules) {
    if (const auto* level = first_with(rules.levels, &RetryLevel::max_attempts)) {
        rules.max_attempts = {std::max(*level->value.max_attempts, 1), level->origin};
    }
    if (const auto* level = first_with(rules.levels, &RetryLevel::retry_for)) {
        rules.retry_for = {level->value.retry_for, level->origin};
    }
    const auto chosen = std::ranges::find_if(rules.levels, chooses_curve);
    if (chosen != rules.levels.end() && chosen->value.initial_delay) {
        return merge_exponential(rules, *chosen);
    }
    if (chosen != rules.levels.end() && *chosen->value.delay != "default") {
        rules.curve_kind = {CurveKind::kFunction, chosen->origin};
        rules.function = {*chosen->value.delay, chosen->origin};
    } else if (chosen != rules.levels.end()) {
        rules.curve_kind = {CurveKind::kBuiltIn, chosen->origin};
    }
    rules.contradiction = stray_numbers(rules.levels, chosen);
}

void merge_do_not_retry(Rules& rules, const std::vector<PolicyLevel>& levels) {
    bool retry_payload_errors = false;
    for (const PolicyLevel& level : levels) {
        if (level.retry_payload_errors) {
            retry_payload_errors = *level.retry_payload_errors;
            break;
        }
    }
    for (const PolicyLevel& level : levels) {
        for (const std::string& name : level.do_not_retry) {
            rules.do_not_retry.push_back({normalised_type_name(name), level.origin});
        }
    }
    if (!retry_payload_errors) rules.do_not_retry.push_back({kPayloadError, "built-in"});
}

}  // namespace

Curve Rules::curve() const {
    return {.kind = curve_kind.value,
            .initial_delay = initial_delay.value,
            .multiplier = multiplier.value,
            .max_delay = max_delay.value,
            .function = function.value};
}

Rules merge(const std::vector<PolicyLevel>& narrowest_first) {
    Rules rules;
    for (const PolicyLevel& level : narrowest_first) {
        rules.levels.push_back({level.retry, level.origin});
        std::vector<Sourced<OnError>> on;
        for (const OnError& entry : level.on) {
            on.push_back({{normalised_type_name(entry.type), entry.retry},
                          level.origin + " on " + entry.type});
        }
        rules.on.push_back(std::move(on));
    }
    // Walked from wide to narrow, so that the narrowest word stays.
    for (auto level = narrowest_first.rbegin(); level != narrowest_first.rend(); ++level) {
        if (level->timeout) rules.timeout = {level->timeout, level->origin};
        if (level->at_least_once) rules.at_least_once = {*level->at_least_once, level->origin};
    }
    merge_retry(rules);
    merge_do_not_retry(rules, narrowest_first);
    return rules;
}

Rules with_on(const Rules& rules, const Sourced<OnError>& on) {
    Rules merged;
    merged.timeout = rules.timeout;
    merged.at_least_once = rules.at_least_once;
    merged.do_not_retry = rules.do_not_retry;
    merged.on = rules.on;
    merged.levels.push_back({on.value.retry, on.origin});
    merged.levels.insert(merged.levels.end(), rules.levels.begin(), rules.levels.end());
    merge_retry(merged);
    return merged;
}

}  // namespace jobhost
