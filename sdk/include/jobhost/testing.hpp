#pragma once

// Runs jobs, dead-letter handlers and forwarders in a plain unit test, without a host, through the
// same border code that a host calls:
//
//   const auto result = jobhost::testing::run<ProcessPayment>({.input = R"({"order_id": "o-1"})"});
//   EXPECT_TRUE(result.succeeded()) << result;
//
// Nothing sleeps: wait_for and sleep_for return at once and are added up in `waited`.

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <jobhost/detail/testing_calls.hpp>

extern "C" {
/// The plugin's own entry, when the test is linked with the plugin's sources.
JOBHOST_EXPORT extern const jobhost_plugin_entry jobhost_plugin_v1;
}

namespace jobhost {
inline namespace v1 {
namespace testing {

/// Runs one job class once.
template <class JobT, class Factory = detail::DefaultFactory<JobT>>
RunResult run(const RunSetup& setup = {}, Factory factory = {}) {
    detail::TestPlugin plugin(setup);
    plugin.registry().job<JobT>("test.job", std::move(factory));
    return detail::run_job(*plugin.started().job_types[0], nullptr, setup);
}

/// Runs a dead-letter handler for a job that failed with `error`, any exception object.
template <class Handler, class E, class Factory = detail::DefaultFactory<Handler>>
RunResult run_dead_letter(const E& error, const RunSetup& setup = {}, Factory factory = {}) {
    using JobT = typename Handler::JobType;
    detail::TestPlugin plugin(setup);
    plugin.registry()
        .job<JobT>("test.job", []() -> std::unique_ptr<JobT> { return nullptr; })
        .template dead_letter<Handler>(std::move(factory));
    const jobhost_dead_letter_handler& handler = *plugin.started().dead_letter_handlers[0];
    return detail::run_handler(handler, nullptr, "test.job", setup, error);
}

/// Asks a forwarder whether it applies to a job of type `type` that failed with `error`, and lets
/// it forward the job if so.
template <class ForwarderT, class E, class Factory = detail::DefaultFactory<ForwarderT>>
RunResult run_forwarder(const std::string& type, const E& error, const RunSetup& setup = {},
                        Factory factory = {}) {
    detail::TestPlugin plugin(setup);
    plugin.registry().forwarder<ForwarderT>("test", std::move(factory));
    const jobhost_forwarder& forwarder = *plugin.started().forwarders[0];
    return detail::run_forwarder(forwarder, nullptr, type, setup, error);
}

/// A whole plugin, described and started as a host would: PluginUnderTest plugin(jobhost_plugin_v1)
/// where the test is linked with the plugin's sources. One at a time. `settings` are what on_start
/// finds; a call's setup may bring others for that call. The constructor throws
/// std::runtime_error when the plugin refuses to be described or to start; asking for a name that
/// the plugin did not register throws std::out_of_range.
class PluginUnderTest {
public:
    explicit PluginUnderTest(const jobhost_plugin_entry& entry, std::string settings = "{}")
        : entry_(&entry), host_(std::move(settings)) {
        const jobhost_error* error = nullptr;
        plugin_ = entry.describe(&error);
        if (plugin_ == nullptr) {
            throw std::runtime_error(error == nullptr ? "describe() failed"
                                                      : detail::recorded(*error).message);
        }
        if (entry.start(&host_.abi, &self_) != JOBHOST_OK) {
            throw std::runtime_error(host_.last_error ? host_.last_error->message
                                                      : "start() failed");
        }
    }
    PluginUnderTest(const PluginUnderTest&) = delete;
    PluginUnderTest& operator=(const PluginUnderTest&) = delete;
    ~PluginUnderTest() {
        if (entry_->stop != nullptr) entry_->stop(self_);
    }

    RunResult run(std::string_view type, const RunSetup& setup = {}) const {
        const detail::TestHost::SettingsScope settings(host_, setup.settings);
        return detail::run_job(job_type(type), self_, setup);
    }

    /// Runs the type's dead-letter handler.
    template <class E>
    RunResult run_dead_letter(std::string_view type, const E& error,
                              const RunSetup& setup = {}) const {
        const auto& handler =
            detail::find_table(plugin_->dead_letter_handlers, plugin_->n_dead_letter_handlers,
                               &jobhost_dead_letter_handler::job_type, type);
        const detail::TestHost::SettingsScope settings(host_, setup.settings);
        return detail::run_handler(handler, self_, type, setup, error);
    }

    template <class E>
    RunResult run_forwarder(std::string_view name, std::string_view type, const E& error,
                            const RunSetup& setup = {}) const {
        const auto& forwarder = detail::find_table(plugin_->forwarders, plugin_->n_forwarders,
                                                   &jobhost_forwarder::name, name);
        const detail::TestHost::SettingsScope settings(host_, setup.settings);
        return detail::run_forwarder(forwarder, self_, type, setup, error);
    }

    /// What a delay function answers after `setup.attempt` attempts: nothing for "as the policy",
    /// a negative time when it failed. `random` is what RetryInfo::random gives.
    template <class E>
    std::optional<std::chrono::microseconds> retry_delay(std::string_view name, const E& error,
                                                         const RunSetup& setup = {},
                                                         std::uint64_t random = 0) const {
        const auto& delay = detail::find_table(plugin_->retry_delays, plugin_->n_retry_delays,
                                               &jobhost_retry_delay::name, name);
        const detail::TestHost::SettingsScope settings(host_, setup.settings);
        return detail::ask_retry_delay(delay, self_, setup, error, random);
    }

    /// The C table of a job type, for its registered policy.
    const jobhost_job_type& job_type(std::string_view name) const {
        return detail::find_table(plugin_->job_types, plugin_->n_job_types, &jobhost_job_type::name,
                                  name);
    }
    const jobhost_plugin& tables() const { return *plugin_; }

    /// What the plugin logged and enqueued outside of runs, such as in on_start.
    const std::vector<LogLine>& log() const { return host_.log; }
    const std::vector<Enqueue>& enqueued() const { return host_.enqueued; }

private:
    const jobhost_plugin_entry* entry_;
    mutable detail::TestHost host_;
    const jobhost_plugin* plugin_ = nullptr;
    void* self_ = nullptr;
};

}  // namespace testing
}  // namespace v1
}  // namespace jobhost
