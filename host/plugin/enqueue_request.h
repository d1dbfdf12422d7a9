#pragma once

#include <functional>
#include <string>

#include <jobhost/abi.h>
#include <tl/expected.hpp>

#include "host/engine/run_context.h"

namespace jobhost {

/// What a plugin asked to enqueue. `job.source` is left to the caller.
struct EnqueueRequest {
    NewJob job = {};
    bool on_success = false;  // together with the success of the running job
};

/// Why a request was not even passed on.
struct EnqueueMistake {
    jobhost_status status = JOBHOST_INVALID;
    std::string why = {};
};

/// Checks the struct itself: sizes, pointers, enumerations, negative durations. Whether names,
/// input and limits are acceptable is for the store's rules (check_new_job).
tl::expected<EnqueueRequest, EnqueueMistake> read_enqueue(const jobhost_enqueue& request);

/// The whole of an enqueue function: reads the request, asks, and fills in the result. The texts in
/// `result` belong to this thread and last until its next call of this function.
jobhost_status answer_enqueue(const jobhost_enqueue* request, jobhost_enqueue_result* result,
                              const std::function<Asked(EnqueueRequest)>& ask);

/// The answer as the border says it.
jobhost_status status_of(const Asked& asked);

}  // namespace jobhost
