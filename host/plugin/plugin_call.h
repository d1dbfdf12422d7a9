#pragma once

#include <string>
#include <utility>

#include <jobhost/abi.h>

#include "host/engine/thrown_error.h"
#include "host/plugin/host_run.h"
#include "host/plugin/plugin_error.h"

namespace jobhost {

/// Calls a plugin's function, with a net below it. Nothing may leave a function of the border; when
/// something does all the same, and the process is still there to notice, it becomes `escaped`.
template <class Call, class Answer>
Answer call_with_net(Call&& call, Answer escaped, bool& did_escape) noexcept {
    try {
        return std::forward<Call>(call)();
    } catch (...) {
        did_escape = true;
        return escaped;
    }
}

/// How a function failed that answered `status`: what it said through set_error, else that it said
/// nothing. `function` is for people (`run of demo.flaky`).
ThrownError error_of_call(HostRun& run, const std::string& function, jobhost_status status,
                          bool escaped);

}  // namespace jobhost
