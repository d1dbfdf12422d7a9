#pragma once

#include <string>
#include <vector>

#include "host/engine/engine.h"

namespace jobhost {

/// What is wrong, or looks wrong, in what the configuration and the plugins say together. Each one
/// sentence.
struct PolicyFindings {
    std::vector<std::string> errors = {};    // a host must not start like this
    std::vector<std::string> warnings = {};  // names that nobody here knows
};

/// Every type in every queue is merged as the engine would.
PolicyFindings check_policies(const EngineSettings& settings, const JobTypes& types);

}  // namespace jobhost
