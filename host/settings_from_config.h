#pragma once

#include <string>

#include "config/config.h"
#include "host/engine/engine.h"
#include "host/observe/log.h"
#include "host/plugin/plugin_set.h"
#include "storage/store.h"

namespace jobhost {

// The configuration in the words of those who work by it. The only place that knows both sides.

/// The engine's and the store's levels of a policy carry where the value was written, for people.
EngineSettings engine_settings(const config::Config& config, const std::string& version);
StoreOptions store_options(const config::Config& config);
LogOptions log_options(const config::Config& config);

/// Without services: nothing that plugins ask for works until somebody sets them.
PluginOptions plugin_options(const config::Config& config, const std::string& version);

RetentionTimes retention_times(const config::Config& config);

/// `node` of the configuration, else the host's name.
std::string node_name(const config::Config& config);

}  // namespace jobhost
