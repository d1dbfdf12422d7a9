#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "storage/job.h"

namespace jobhost::sql {

/// How far each walk of the purge came. A batch goes on from here, so that what has to stay is
/// looked at once in a pass and not once in a batch; at its end a walk begins anew.
struct PurgePlace {
    static constexpr std::int64_t kStart = std::numeric_limits<std::int64_t>::min();

    JobId done = 0;  // after this id

    std::int64_t dead_time = kStart;  // after this end and id
    JobId dead = 0;

    std::int64_t key_time = kStart;  // after this age, type and key
    std::int64_t key_type = 0;
    std::string key = {};
};

}  // namespace jobhost::sql
