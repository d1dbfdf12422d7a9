#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "host/cli/command_line.h"
#include "storage/job.h"

namespace jobhost::cli {

/// How an option of a new job is written in JSON.
enum class OptionForm { kUnknown, kText, kNumber, kDurationOrText };
OptionForm option_form(std::string_view name);

/// Sets the option with this JSON name (`queue`, `max_attempts`, `run_at`, ...) from its words.
/// Answers what is wrong with them, as a sentence that begins with the name; nullopt when all is
/// well. Limits of the store itself are not checked here: see check_new_job.
std::optional<std::string> set_option(NewJob& job, std::string_view name, const std::string& words);

/// All options of the command line but the input. The error begins with the flag.
tl::expected<NewJob, std::string> new_job(const EnqueueCommand& command);

}  // namespace jobhost::cli
