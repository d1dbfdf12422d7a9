#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "storage/clock.h"
#include "storage/job.h"

namespace jobhost {

/// Failed jobs that most likely have one cause: the same job type, the same type of their last
/// error, the same place in the code.
struct FailureGroup {
    std::string id = {};  // names the group in filters: 16 hex digits
    std::string type = {};
    std::string error = {};    // type of the last error
    std::string frame = {};    // top frame of its stack, without its number; empty: no stack
    std::string message = {};  // of the newest one
    std::int64_t count = 0;
    TimePoint first_at = {};
    TimePoint last_at = {};
    JobId newest = 0;
};

struct FailureGroups {
    std::vector<FailureGroup> groups = {};  // the largest first
    std::int64_t looked_at = 0;             // the newest failed jobs, so many
    bool more = false;                      // there are older ones
};

/// The first frame of a stack as stored: `#0 app::charge at charge.cpp:12` is `app::charge at
/// charge.cpp:12`. Empty when there is none.
std::string top_frame(std::string_view stack);

/// The group's id. Stable: not of one process, engine or version.
std::string failure_group_id(std::string_view type, std::string_view error, std::string_view frame);

}  // namespace jobhost
