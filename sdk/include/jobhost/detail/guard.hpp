#pragma once

// The border: author's code runs inside guarded(), and nothing that it throws gets out.

#include <cstdlib>
#include <utility>

#include <jobhost/detail/error_record.hpp>

namespace jobhost {
inline namespace v1 {
namespace detail {

/// Runs `body`; when it throws, answers what `failed()` answers, which is called inside the catch
/// block and must not throw.
template <class Body, class Failed>
jobhost_status guarded(Body&& body, Failed&& failed) noexcept {
    throw_site.count = 0;
    try {
        std::forward<Body>(body)();
        return JOBHOST_OK;
    }
#if !defined(JOBHOST_SDK_NO_PROBE)
    catch (Probe&) {  // never taken, see throw_site.hpp
        std::abort();
    }
#endif
    catch (...) {
        return std::forward<Failed>(failed)();
    }
}

/// Describes the current exception to `sink(const jobhost_error*)`.
template <class Sink>
void report_current_exception(Sink&& sink) noexcept {
    const Frames frames = throw_site;  // before describing throws anything itself
    try {
        const auto record = ErrorRecord::of_current_exception();
        record->set_frames(frames);
        sink(record->finish());
    } catch (...) {
        sink(&out_of_memory_error());
    }
}

inline jobhost_status fail_run(const jobhost_run* run, jobhost_status status) noexcept {
    report_current_exception([run](const jobhost_error* e) { run->api->set_error(run, e); });
    return status;
}

/// What a job's exception means. Call inside the catch block.
inline jobhost_status job_threw(const jobhost_run* run) noexcept {
    const Frames frames = throw_site;
    const auto fail = [&](jobhost_status status) {
        throw_site = frames;
        return fail_run(run, status);
    };
    if (is_foreign_exception()) return fail(JOBHOST_ERROR);
    try {
        throw;
    } catch (const Snooze& snooze) {
        run->api->set_snooze(run, snooze.delay().count());
        return JOBHOST_SNOOZE;
    } catch (const Cancelled&) {
        // Thrown although nobody cancelled the run, it is an error like any other.
        const bool cancelled = run->api->cancel_reason(run) != JOBHOST_NOT_CANCELLED;
        return cancelled ? JOBHOST_CANCELLED : fail(JOBHOST_ERROR);
    } catch (const DeadLetter&) {
        return fail(JOBHOST_DEAD_LETTER);
    } catch (const Discard&) {
        return fail(JOBHOST_DISCARD);
    } catch (...) {
        return fail(JOBHOST_ERROR);
    }
}

template <class Body>
jobhost_status guarded_job(const jobhost_run* run, Body&& body) noexcept {
    return guarded(std::forward<Body>(body), [run] { return job_threw(run); });
}

/// For handlers and forwarders: whatever is thrown is an error.
template <class Body>
jobhost_status guarded_handler(const jobhost_run* run, Body&& body) noexcept {
    return guarded(std::forward<Body>(body), [run] { return fail_run(run, JOBHOST_ERROR); });
}

/// For calls without a jobhost_run. `host` may be null.
template <class Body>
jobhost_status guarded_call(const jobhost_host* host, Body&& body) noexcept {
    return guarded(std::forward<Body>(body), [host] {
        if (host != nullptr) {
            report_current_exception(
                [host](const jobhost_error* e) { host->report_error(host, e); });
        }
        return JOBHOST_ERROR;
    });
}

}  // namespace detail
}  // namespace v1
}  // namespace jobhost
