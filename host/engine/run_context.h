#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "host/engine/run_result.h"
#include "storage/storage.h"

namespace jobhost {

/// The answer to something that a plugin asked of the store.
enum class AskStatus {
    kDone,
    kInvalid,      // an argument breaks the rules: `why` says which
    kRefused,      // the idempotency key forbids it
    kUnavailable,  // the store is down, or the host is stopping: nothing was stored
    kLeaseLost,    // somebody else answers for the job: nothing was stored
};
struct Asked {
    AskStatus status = AskStatus::kDone;
    std::string why = {};
    JobId id = 0;  // enqueue: the new job, or the one that holds the key
    bool duplicate = false;
};

/// What a running job or dead-letter run may ask of the host. Every function may be called from any
/// thread until the run ends.
class PluginContext {
public:
    virtual ~PluginContext() = default;
    virtual void log(LogLevel level, std::string_view text) = 0;
    virtual Asked enqueue(NewJob job) = 0;

    /// kNone: go on. Looking at a request counts: a job that saw it and returns was interrupted.
    virtual StopCause stop_cause() = 0;

    /// Sleeps until the time is over (kNone) or the run should stop.
    virtual StopCause wait(Duration at_most) = 0;
};

/// What a running job sees and may ask.
class RunContext : public PluginContext {
public:
    virtual const ClaimedJob& job() const = 0;
    virtual const std::string& type() const = 0;
    virtual const std::string& queue() const = 0;

    /// Percent 0 to 100, or -1 for unknown. Cheap: stored with a later batch.
    virtual void progress(int percent, std::string_view text) = 0;

    /// Durable when answered kDone. Replaces the last one.
    virtual Asked save_checkpoint(std::string_view json) = 0;

    /// Kept back and stored with the job's success, in one transaction.
    virtual Asked enqueue_on_success(NewJob job) = 0;

    /// The work is done: from here on no request to stop changes the outcome. False: too late, there
    /// was one already.
    virtual bool complete() = 0;
};

}  // namespace jobhost
