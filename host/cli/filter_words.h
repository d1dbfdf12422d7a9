#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/cli/command_line.h"
#include "storage/job_queries.h"

namespace jobhost::cli {

/// Throws CommandError (usage) when a word makes no sense. `now` is what a duration in `since`
/// counts back from.
JobFilter job_filter(const FilterWords& words, TimePoint now);

/// A job id as decimal text. Throws CommandError (usage).
JobId parse_id(std::string_view text);

/// Throws CommandError (usage) for a word that is no state of a dead-letter run; nullopt for an
/// empty one.
std::optional<DeadLetterState> parse_dead_letter_state(const std::string& word);

}  // namespace jobhost::cli
