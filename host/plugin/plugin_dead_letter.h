#pragma once

#include <memory>

#include "host/engine/job_types.h"
#include "host/plugin/plugin_library.h"

namespace jobhost {

class PluginHost;

/// Calls a plugin's dead-letter handler. All arguments are never destroyed.
std::unique_ptr<DeadLetterHandler> make_dead_letter_handler(
    const PluginLibrary& plugin, const Described<jobhost_dead_letter_handler>& handler);

/// Calls a plugin's forwarder. What its applies_to logs goes to `host`. All arguments are never
/// destroyed.
std::unique_ptr<Forwarder> make_forwarder(const PluginLibrary& plugin,
                                          const Described<jobhost_forwarder>& forwarder,
                                          const PluginHost& host);

}  // namespace jobhost
