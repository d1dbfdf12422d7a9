#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "host/engine/policy.h"
#include "host/engine/run_context.h"
#include "host/engine/run_result.h"

namespace jobhost {

// What plugins bring, as the engine sees it. Called on worker threads, concurrently. None of the
// functions throws, whatever the plugin does.

/// Runs jobs of one type.
class JobType {
public:
    virtual ~JobType() = default;
    virtual RunResult run(RunContext& context) noexcept = 0;
};

/// Runs once after a job of its type became failed. nullopt: it went well.
class DeadLetterHandler {
public:
    virtual ~DeadLetterHandler() = default;
    virtual std::optional<ThrownError> handle(const Job& job, PluginContext& context) noexcept = 0;
};

/// Looks at every failed job on this node, after its handler.
class Forwarder {
public:
    virtual ~Forwarder() = default;
    virtual std::variant<bool, ThrownError> applies_to(const Job& job) noexcept = 0;
    virtual std::optional<ThrownError> forward(const Job& job, PluginContext& context) noexcept = 0;
};

/// What a delay function is told.
struct DelayQuestion {
    JobId job = 0;
    std::string_view type = {};
    std::string_view queue = {};
    int attempts_made = 0;  // 1 after the first failure
    int max_attempts = 0;
    const ThrownError* error = nullptr;
    Duration default_delay = {};  // what the built-in curve drew
    std::uint64_t random = 0;     // 64 random bits from the host
};
struct PolicyDelay {};  // "as the policy says": the built-in curve
struct BadDelay {
    std::string what = {};
};  // it threw, or answered nonsense
using DelayAnswer = std::variant<Duration, PolicyDelay, BadDelay>;

class DelayFunction {
public:
    virtual ~DelayFunction() = default;
    virtual DelayAnswer delay(const DelayQuestion& question) noexcept = 0;
};

/// One loaded job type. Its handler, if any, is in the same plugin.
struct LoadedType {
    std::string name = {};
    std::string plugin = {};  // `name version`, for people
    PolicyLevel policy = {};  // what the plugin itself says
    std::unique_ptr<JobType> run = {};
    std::unique_ptr<DeadLetterHandler> handler = {};  // may be null
};
struct LoadedForwarder {
    std::string name = {};
    std::string plugin = {};
    std::unique_ptr<Forwarder> forward = {};
};
struct LoadedDelay {
    std::string name = {};
    std::string plugin = {};
    std::unique_ptr<DelayFunction> delay = {};
};

/// Everything that this node has loaded. Built before the engine starts, constant after that.
struct JobTypes {
    std::vector<LoadedType> types = {};
    std::vector<LoadedForwarder> forwarders = {};  // in the order in which they were loaded
    std::vector<LoadedDelay> delays = {};
    std::vector<std::string> plugins = {};      // `name version`
    std::vector<std::string> error_types = {};  // that the plugins declared, with all bases

    const LoadedType* find(std::string_view name) const;
    const LoadedForwarder* find_forwarder(std::string_view name) const;
    const LoadedDelay* find_delay(std::string_view name) const;
    std::vector<std::string> type_names() const;
};

}  // namespace jobhost
