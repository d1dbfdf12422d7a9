#pragma once

#include <optional>
#include <string_view>

#include "host/engine/thrown_error.h"
#include "storage/job.h"

namespace jobhost {

/// The call into a plugin that a thread is in.
struct CurrentCall {
    const char* plugin = nullptr;    // `name version`; nullptr: in no plugin
    const char* function = nullptr;  // `run`, `start`, `handle`, ...
    JobId job = 0;                   // 0: not about a job
    const char* type = nullptr;      // of that job
    /// Where report_error() of this thread goes; nullptr: to the log.
    std::optional<ThrownError>* reported = nullptr;
};

/// What this thread is doing. Cheap: reads a thread-local.
const CurrentCall& current_call();

/// Marks the call for as long as it lives, on this thread. Scopes nest.
class CallScope {
public:
    explicit CallScope(const CurrentCall& call);
    ~CallScope();
    CallScope(const CallScope&) = delete;
    CallScope& operator=(const CallScope&) = delete;

private:
    CurrentCall outer_;
};

/// Catches exit() while it lives. A plugin that calls exit() would end the whole host, through its
/// static destructors and with other jobs in the middle of their work; instead one line on standard
/// error names the plugin and the job, and the process ends at once with status 70.
///
/// Make one after the plugins were loaded (their own exit handlers must not run first) and let it
/// go when the host itself is about to return from main. The newest one counts; make and destroy
/// them on one thread. Nothing catches _exit(), abort() or a signal.
class ExitGuard {
public:
    ExitGuard();
    ~ExitGuard();
    ExitGuard(const ExitGuard&) = delete;
    ExitGuard& operator=(const ExitGuard&) = delete;
};

/// From now on a crash (SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL) first writes one line to standard
/// error that names the plugin and the job; then the signal does what it always does. A signal that
/// somebody handles already is left alone. A stack that overflowed has no room for the line.
void note_fatal_signals();

/// Where the line of ExitGuard and note_fatal_signals goes, too: `say` gets the sentence, and may
/// do only what a signal handler may. nullptr: nowhere else.
void also_tell(void (*say)(std::string_view sentence));

/// The status of a process that a plugin ended with exit().
inline constexpr int kExitByPlugin = 70;

}  // namespace jobhost
