#pragma once

#include <string>
#include <vector>

#include <jobhost/abi.h>
#include <tl/expected.hpp>

#include "host/engine/policy.h"

namespace jobhost {

/// One of the plugin's C tables. `table` is the plugin's own, to be handed back in calls; `fields`
/// is this host's copy of it, complete whatever minor the plugin was built with.
template <class Table>
struct Described {
    std::string name = {};  // for a handler: the job type
    const Table* table = nullptr;
    Table fields = {};
};

struct DescribedType : Described<jobhost_job_type> {
    PolicyLevel policy = {};
};

/// What a plugin registers: checked, and copied except for code and the tables to hand back.
struct PluginDescription {
    std::string name = {};
    std::string version = {};
    std::vector<DescribedType> types = {};
    std::vector<Described<jobhost_dead_letter_handler>> handlers = {};
    std::vector<Described<jobhost_forwarder>> forwarders = {};
    std::vector<Described<jobhost_retry_delay>> delays = {};
    std::vector<std::string> error_types = {};    // normalised, with all bases, each once
    std::vector<std::string> trigger_kinds = {};  // triggers are not run by this version

    /// `name version`, for people.
    std::string label() const { return version.empty() ? name : name + " " + version; }
};

/// Checks and copies what describe() answered. The errors are whole sentences without the file,
/// and all of them.
tl::expected<PluginDescription, std::vector<std::string>> read_description(
    const jobhost_plugin& plugin);

}  // namespace jobhost
