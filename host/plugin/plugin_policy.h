#pragma once

#include <string>
#include <vector>

#include <jobhost/abi.h>

#include "host/engine/policy.h"

namespace jobhost {

/// What a plugin says about retrying one of its types. `origin` is the name of the level, for
/// people. What makes no sense is left out and added to `mistakes` as the end of a sentence that
/// begins with the type (`retry.multiplier is 0.5; it must be at least 1`).
PolicyLevel plugin_policy(const jobhost_job_type& type, std::string origin,
                          std::vector<std::string>& mistakes);

}  // namespace jobhost
