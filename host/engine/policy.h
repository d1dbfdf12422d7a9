#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "storage/clock.h"

namespace jobhost {

/// One level's word on how a job is retried: what is not set is left to the next wider level.
struct RetryLevel {
    std::optional<int> max_attempts = {};  // 0 and 1 both mean one run
    std::optional<Duration> initial_delay = {};
    std::optional<double> multiplier = {};
    std::optional<Duration> max_delay = {};
    std::optional<std::string> delay = {};  // a delay function's name, or `default`
    std::optional<Duration> retry_for = {};
};

/// What a level says for one error type.
struct OnError {
    std::string type = {};
    RetryLevel retry = {};
};

/// Everything that one level (YAML `jobs.<type>`, the plugin, the queue, the global block) says.
struct PolicyLevel {
    std::string origin = {};  // for people: `jobs.mail.send`, `plugin mail 1.0`, `built-in`, ...
    RetryLevel retry = {};
    std::vector<OnError> on = {};
    std::vector<std::string> do_not_retry = {};  // of all levels together
    std::optional<bool> retry_payload_errors = {};
    std::optional<Duration> timeout = {};  // 0 = none
    std::optional<bool> at_least_once = {};
};

/// A value and the level that set it.
template <class T>
struct Sourced {
    Sourced() = default;
    Sourced(T set, std::string by = "built-in") : value(std::move(set)), origin(std::move(by)) {}

    T value = {};
    std::string origin = "built-in";
};

enum class CurveKind { kBuiltIn, kExponential, kFunction };

/// The delay curve in force. `kBuiltIn` needs nothing else; `kExponential` the three numbers;
/// `kFunction` the name.
struct Curve {
    CurveKind kind = CurveKind::kBuiltIn;
    Duration initial_delay = {};
    double multiplier = 2.0;
    std::optional<Duration> max_delay = {};
    std::string function = {};
};

/// The levels of one type in one queue, merged; enqueue options are laid over it per job.
struct Rules {
    Sourced<int> max_attempts = {10};
    Sourced<CurveKind> curve_kind = {};
    Sourced<Duration> initial_delay = {};
    Sourced<double> multiplier = {2.0};
    Sourced<std::optional<Duration>> max_delay = {};
    Sourced<std::string> function = {};
    Sourced<std::optional<Duration>> retry_for = {};
    Sourced<std::optional<Duration>> timeout = {};
    Sourced<bool> at_least_once = {false};
    std::vector<Sourced<std::string>> do_not_retry = {};  // normalised names
    std::vector<std::vector<Sourced<OnError>>> on = {};   // by level, narrowest first
    std::string contradiction = {};  // why the levels do not fit together, one sentence, or empty
    std::vector<Sourced<RetryLevel>> levels = {};  // what was merged, narrowest first
    Curve curve() const;
};

/// Merges, narrowest level first. Field by field; the first level that sets `initial_delay` or
/// `delay` chooses the kind of curve, and what wider levels say about another kind is ignored.
Rules merge(const std::vector<PolicyLevel>& narrowest_first);

/// `rules` with what one `on:` entry says laid over them.
Rules with_on(const Rules& rules, const Sourced<OnError>& on);

}  // namespace jobhost
