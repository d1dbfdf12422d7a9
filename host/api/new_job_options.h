#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "storage/job.h"

namespace jobhost::api {

/// How an option of a new job is written in JSON.
enum class OptionForm { kUnknown, kText, kNumber, kDurationOrText };
OptionForm option_form(std::string_view name);

/// Sets the option with this JSON name (`queue`, `max_attempts`, `run_at`, ...) from its words.
/// Answers what is wrong with them, as a sentence that begins with the name; nullopt when all is
/// well. Limits of the store itself are not checked here: see check_new_job.
std::optional<std::string> set_option(NewJob& job, std::string_view name, const std::string& words);

}  // namespace jobhost::api
