#pragma once

#include <memory>

#include "host/engine/job_types.h"
#include "host/plugin/plugin_library.h"

namespace jobhost {

/// Asks a plugin's delay function. Answers beyond 100 years are taken as 100 years. `plugin` and
/// `delay` (of its description) are never destroyed.
std::unique_ptr<DelayFunction> make_delay_function(const PluginLibrary& plugin,
                                                   const Described<jobhost_retry_delay>& delay);

}  // namespace jobhost
