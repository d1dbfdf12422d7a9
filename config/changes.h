#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace jobhost::config {

/// One key whose value differs, such as `queues.mail.workers`; for people.
struct Change {
    std::string key = {};
    std::string before = {};  ///< as in the file; `not set` where it was not
    std::string after = {};

    bool operator==(const Change&) const = default;
};

struct Changes {
    std::vector<Change> live = {};                ///< a working host can take them over
    std::vector<std::string> needs_restart = {};  ///< only the keys: the values may be secrets

    bool operator==(const Changes&) const = default;
};

/// What differs between two configurations, sorted by key. In a policy, not set and the same as the
/// default are different things.
Changes changes(const Config& running, const Config& wanted);

/// `running`, with everything of `wanted` that a working host can take over.
Config with_live_parts(const Config& running, const Config& wanted);

}  // namespace jobhost::config
