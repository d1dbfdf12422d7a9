#pragma once

#include <string>

#include <tl/expected.hpp>

#include "host/cli/command_line.h"
#include "storage/job.h"

namespace jobhost::cli {

/// `max_attempts` is `--max-attempts`.
std::string flag_of(std::string name);

/// All options of the command line but the input. The error begins with the flag.
tl::expected<NewJob, std::string> new_job(const EnqueueCommand& command);

}  // namespace jobhost::cli
