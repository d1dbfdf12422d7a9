#pragma once

#include <optional>
#include <string>

#include "config/config.h"
#include "host/api/known_names.h"
#include "host/text/json_writer.h"
#include "storage/store.h"

namespace jobhost::api {

/// What to tell about a job that nobody would run now; most likely a slip when there is a name that
/// is nearly the same.
class EnqueueWarnings {
public:
    EnqueueWarnings(Store& store, const config::Config& config) : store_(store), config_(config) {}

    /// One sentence, or empty.
    std::string of(const NewJob& job, const Enqueued& stored);

private:
    Store& store_;
    const config::Config& config_;
    std::optional<KnownNames> known_ = {};
};

/// Why nothing was stored, naming the job that holds the key.
std::string refusal_text(const EnqueueRefusal& refusal);

void write_enqueued(JsonWriter& json, const Enqueued& stored, const std::string& warning);

}  // namespace jobhost::api
