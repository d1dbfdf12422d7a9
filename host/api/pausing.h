#pragma once

#include <string>

#include "config/config.h"
#include "storage/store.h"

namespace jobhost::api {

/// A wish to stop the claims of a queue or type, or to let them go on.
struct PauseWish {
    Pause::Kind kind = Pause::Kind::kQueue;
    bool pausing = true;  // else resuming
    std::string name = {};
    std::string service = {};  // empty: every service
    std::string by = {};
};

struct PauseAnswer {
    bool changed = false;
    std::string warning = {};  // nobody has heard of that name: most likely a slip
};

/// Throws RequestError (bad) for what cannot be a name.
PauseAnswer set_pause(Store& store, const config::Config& config, const PauseWish& wish);

/// `queue` or `type`.
const char* noun_of(Pause::Kind kind);

std::string pause_json(const PauseWish& wish, const PauseAnswer& answer);

}  // namespace jobhost::api
