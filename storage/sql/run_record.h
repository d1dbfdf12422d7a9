#pragma once

#include <optional>
#include <span>
#include <string>

#include "storage/job.h"
#include "storage/sql/session.h"

namespace jobhost::sql {

// What a job says about itself, and why its attempts failed. All texts are made storable and are
// bounded, so that no text can block a transition. Inside a write transaction.

/// Keeps at most 50 errors and 256 KiB of them: the oldest go.
void add_error(Session& session, JobId id, std::int64_t fence, int attempt, const JobError& error,
               TimePoint now);

/// Keeps the last 200 lines.
void add_log(Session& session, JobId id, std::span<const LogLine> lines);

/// What is nullopt stays as it is.
void set_progress(Session& session, JobId id, std::optional<int> percent,
                  const std::optional<std::string>& text, TimePoint now);

/// An empty text removes it.
void set_checkpoint(Session& session, JobId id, const std::string& json, TimePoint now);

}  // namespace jobhost::sql
