#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "host/engine/job_types.h"

namespace jobhost {

// What plugins bring, written down in the test that needs it.

/// An error as the plugin border reports it: `bases` are the public bases of `type`.
inline ThrownError thrown(const std::string& type, std::vector<std::string> bases = {},
                          const std::string& message = "as scripted") {
    ThrownError error;
    error.error.type = type;
    error.error.types = std::move(bases);
    error.error.types.insert(error.error.types.begin(), type);
    error.error.message = message;
    return error;
}

class ScriptedJob final : public JobType {
public:
    using Script = std::function<RunResult(RunContext&)>;
    explicit ScriptedJob(Script script) : script_(std::move(script)) {}
    RunResult run(RunContext& context) noexcept override { return script_(context); }

private:
    const Script script_;
};

class ScriptedHandler final : public DeadLetterHandler {
public:
    using Script = std::function<std::optional<ThrownError>(const Job&, PluginContext&)>;
    explicit ScriptedHandler(Script script) : script_(std::move(script)) {}
    std::optional<ThrownError> handle(const Job& job, PluginContext& context) noexcept override {
        return script_(job, context);
    }

private:
    const Script script_;
};

class ScriptedForwarder final : public Forwarder {
public:
    using Applies = std::function<std::variant<bool, ThrownError>(const Job&)>;
    ScriptedForwarder(Applies applies, ScriptedHandler::Script forward)
        : applies_(std::move(applies)), forward_(std::move(forward)) {}
    std::variant<bool, ThrownError> applies_to(const Job& job) noexcept override {
        return applies_(job);
    }
    std::optional<ThrownError> forward(const Job& job, PluginContext& context) noexcept override {
        return forward_(job, context);
    }

private:
    const Applies applies_;
    const ScriptedHandler::Script forward_;
};

class ScriptedDelay final : public DelayFunction {
public:
    using Script = std::function<DelayAnswer(const DelayQuestion&)>;
    explicit ScriptedDelay(Script script) : script_(std::move(script)) {}
    DelayAnswer delay(const DelayQuestion& question) noexcept override { return script_(question); }

private:
    const Script script_;
};

inline void add_type(JobTypes& types, const std::string& name, ScriptedJob::Script run,
                     PolicyLevel policy = {}, ScriptedHandler::Script handler = {}) {
    LoadedType type;
    type.name = name;
    type.plugin = "scripted 1.0";
    type.policy = std::move(policy);
    type.policy.origin = "plugin scripted 1.0";
    type.run = std::make_unique<ScriptedJob>(std::move(run));
    if (handler) type.handler = std::make_unique<ScriptedHandler>(std::move(handler));
    types.types.push_back(std::move(type));
}

inline void add_forwarder(JobTypes& types, const std::string& name,
                          ScriptedForwarder::Applies applies, ScriptedHandler::Script forward) {
    LoadedForwarder forwarder;
    forwarder.name = name;
    forwarder.plugin = "scripted 1.0";
    forwarder.forward = std::make_unique<ScriptedForwarder>(std::move(applies), std::move(forward));
    types.forwarders.push_back(std::move(forwarder));
}

inline void add_delay(JobTypes& types, const std::string& name, ScriptedDelay::Script delay) {
    LoadedDelay loaded;
    loaded.name = name;
    loaded.plugin = "scripted 1.0";
    loaded.delay = std::make_unique<ScriptedDelay>(std::move(delay));
    types.delays.push_back(std::move(loaded));
}

}  // namespace jobhost
