#include "host/policy_check.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "host/engine/error_names.h"

namespace jobhost {
namespace {

class PolicyCheck {
public:
    PolicyCheck(const EngineSettings& settings, const JobTypes& types)
        : settings_(settings), types_(types) {
        for (const char* name : {kTimeoutError, kOrphanedJobError, kPayloadError, kCrashedError,
                                 kPluginContractError, "jobhost::AggregateError"}) {
            known_errors_.insert(normalised_type_name(name));
        }
        for (const std::string& name : types.error_types) {
            known_errors_.insert(normalised_type_name(name));
        }
    }

    PolicyFindings run() {
        check_level(settings_.global);
        for (const QueueSettings& queue : settings_.queues) check_level(queue.policy);
        for (const auto& [type, level] : settings_.jobs) {
            check_level(level);
            if (types_.find(type) == nullptr) {
                findings_.warnings.push_back(level.origin + ": no loaded plugin has the type " +
                                             type);
            }
        }
        for (const LoadedType& type : types_.types) {
            check_level(type.policy);
            check_merged(type);
        }
        return std::move(findings_);
    }

private:
    void check_level(const PolicyLevel& level) {
        check_delay(level.retry, level.origin);
        for (const OnError& entry : level.on) {
            check_delay(entry.retry, level.origin + " on " + entry.type);
            check_error_name(entry.type, level.origin);
        }
        for (const std::string& name : level.do_not_retry) check_error_name(name, level.origin);
    }

    void check_delay(const RetryLevel& retry, const std::string& origin) {
        if (!retry.delay || *retry.delay == "default" || types_.find_delay(*retry.delay)) return;
        findings_.errors.push_back(origin + ": no loaded plugin exports a delay function named " +
                                   *retry.delay);
    }

    void check_error_name(const std::string& name, const std::string& origin) {
        const std::string normalised = normalised_type_name(name);
        // Plugins declare their own types; those of the standard library are everybody's.
        if (normalised.starts_with("std::") || known_errors_.contains(normalised)) return;
        findings_.warnings.push_back(origin + ": no loaded plugin declares the error type " + name);
    }

    /// Says each contradiction once, though every queue may show it.
    void check_merged(const LoadedType& type) {
        for (const QueueSettings& queue : settings_.queues) {
            const Rules rules = merge(policy_levels(settings_, types_, queue.name, type.name));
            report(type.name, rules.contradiction);
            for (const auto& level : rules.on) {
                for (const Sourced<OnError>& entry : level) {
                    report(type.name, with_on(rules, entry).contradiction);
                }
            }
        }
    }

    void report(const std::string& type, const std::string& contradiction) {
        if (contradiction.empty()) return;
        std::string sentence = "the policy of " + type + " contradicts itself: " + contradiction;
        if (std::ranges::find(findings_.errors, sentence) == findings_.errors.end()) {
            findings_.errors.push_back(std::move(sentence));
        }
    }

    const EngineSettings& settings_;
    const JobTypes& types_;
    std::set<std::string, std::less<>> known_errors_;
    PolicyFindings findings_;
};

}  // namespace

PolicyFindings check_policies(const EngineSettings& settings, const JobTypes& types) {
    return PolicyCheck(settings, types).run();
}

}  // namespace jobhost
