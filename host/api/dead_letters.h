#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "storage/store.h"

namespace jobhost::api {

struct DeadLetterPage {
    std::vector<DeadLetter> runs = {};  // newest first
    std::string next = {};              // empty at the end
};

/// `job` 0: of all jobs. `after`: what `next` said, 0 for the begin.
DeadLetterPage dead_letter_page(Store& store, JobId job, std::optional<DeadLetterState> state,
                                int limit, std::int64_t after);

/// Does an ended run again, as a new run. Throws RequestError (not found, refused).
RerunAnswer rerun(Store& store, std::int64_t run, bool force);

/// What to tell about a new run: that nobody can do it now; or empty.
std::string rerun_warning(const RerunAnswer& answer);

std::string rerun_json(std::int64_t old_run, const RerunAnswer& answer);

}  // namespace jobhost::api
