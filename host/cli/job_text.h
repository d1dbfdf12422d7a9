#pragma once

#include <string>
#include <vector>

#include "storage/job_queries.h"

namespace jobhost::cli {

/// Everything about one job, for people: `name: value` lines, then errors, dead-letter runs and
/// log. The input stands there verbatim; other texts have their control characters escaped.
std::string job_text(const Job& job, const std::vector<DeadLetter>& runs);

}  // namespace jobhost::cli
