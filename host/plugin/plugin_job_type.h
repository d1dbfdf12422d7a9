#pragma once

#include <memory>

#include "host/engine/job_types.h"
#include "host/plugin/plugin_library.h"

namespace jobhost {

/// Runs a plugin's job type. `plugin` and `type` (of its description) are never destroyed.
std::unique_ptr<JobType> make_job_type(const PluginLibrary& plugin, const DescribedType& type);

}  // namespace jobhost
