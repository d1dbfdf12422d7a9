#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "storage/job.h"
#include "storage/sql/names.h"

namespace jobhost::sql {

class Session;

/// kListed leaves out what may be large: input, errors (but the last one, without its stack and
/// with a short message), checkpoint and log.
enum class Detail { kListed, kWhole };

/// Puts a job together from the tables. Broken rows are shown with what is there, and the reason
/// says what is missing. nullopt when no table knows the id. Inside a read or write transaction.
std::optional<Job> read_job(Session& session, JobId id, Detail detail);

/// The name of a queue or type; `unknown:7` for a number that no name has.
std::string shown_name(Session& session, std::int64_t id);

}  // namespace jobhost::sql
