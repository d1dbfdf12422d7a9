#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "config/changes.h"
#include "config/config.h"
#include "host/engine/engine.h"

namespace jobhost {

/// A configuration that was read again, and what it means for the host that works.
struct Reload {
    config::Config config = {};    // in force from now on
    EngineSettings settings = {};  // the same, as the engine needs it
    config::Changes changes = {};
    std::vector<std::string> warnings = {};  // sentences
};

/// Reads `file` as a whole and checks it together with the loaded plugins. The error: everything
/// that is wrong with it, one sentence each; nothing of it may be applied then.
tl::expected<Reload, std::vector<std::string>> read_again(const std::string& file,
                                                          const config::Config& running,
                                                          const JobTypes& types,
                                                          const std::string& version);

}  // namespace jobhost
