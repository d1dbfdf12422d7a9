#pragma once

#include <jobhost/abi.h>

namespace jobhost {

// The functions that a plugin calls through its jobhost_run, which is a HostRun. They check every
// argument and never throw: what breaks the rules is answered JOBHOST_INVALID or ignored, and said
// in the job's log.

const jobhost_run_api& running_job_api();

/// Without set_snooze, progress, save_checkpoint and complete.
const jobhost_run_api& dead_letter_api();

}  // namespace jobhost
