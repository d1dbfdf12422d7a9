#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <jobhost/abi.h>

#include "host/engine/run_context.h"
#include "host/engine/thrown_error.h"

namespace jobhost {

class PluginHost;

/// The jobhost_run that a plugin's function gets, and what the function said through it. One for
/// each call, on the caller's stack. The plugin may use it from any thread until the call returns.
class HostRun : public jobhost_run {
public:
    /// For a running job: all of jobhost_run_api.
    explicit HostRun(RunContext& job);
    /// For dead-letter handlers and forwarders: without what only a running job can do.
    HostRun(PluginContext& context, const Job& job);
    /// For a forwarder's applies_to, which only looks: it can log (to the host's log).
    explicit HostRun(const PluginHost& log);
    HostRun(const HostRun&) = delete;
    HostRun& operator=(const HostRun&) = delete;

    /// What set_error said last, moved out; nullopt: nothing.
    std::optional<ThrownError> take_error();
    /// What set_snooze said last.
    std::optional<Duration> snooze();

    // Called by the plugin, through the api; const because the plugin's pointer is.
    void log(LogLevel level, std::string_view text) const;
    bool log_enabled(LogLevel level) const;
    StopCause stop_cause() const;
    StopCause wait(Duration at_most) const;
    Asked enqueue(NewJob job, bool on_success) const;
    void set_error(ThrownError error) const;
    void set_snooze(Duration delay) const;
    void progress(int percent, std::string_view text) const;
    Asked save_checkpoint(std::string_view json) const;
    bool complete() const;

private:
    RunContext* const run_;
    PluginContext* const context_;
    const PluginHost* const host_;
    const JobId job_;
    const std::optional<std::string>* const traceparent_;  // of the job

    mutable std::mutex mutex_;
    // Guarded by mutex_.
    mutable std::optional<ThrownError> error_;
    mutable std::optional<Duration> snooze_;
};

}  // namespace jobhost
