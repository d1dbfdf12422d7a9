#pragma once

#include <string>

#include <jobhost/abi.h>

#include "host/engine/thrown_error.h"

namespace jobhost {

/// What a plugin reported, as the engine wants it. Never fails for what the plugin did: a struct
/// that cannot be read becomes a PluginContractError that says so.
///
/// Types of nested causes go to `causes` (at most 8 levels; an aggregate of one error is looked
/// into, one of several is not, since it failed for several reasons). The texts of all causes are
/// appended to the message: `; caused by TYPE: MESSAGE`. Frames without a text are symbolised.
ThrownError thrown_error(const jobhost_error& reported);

/// Same, without looking up stack frames: for errors from before all libraries are loaded.
std::string one_line(const jobhost_error& reported);

/// A PluginContractError: the plugin broke a rule of the border.
ThrownError contract_error(std::string message);

}  // namespace jobhost
