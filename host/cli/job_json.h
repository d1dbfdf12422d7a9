#pragma once

#include "host/text/json_writer.h"
#include "storage/job_queries.h"

namespace jobhost::cli {

/// What all interfaces call the fields of a job. `whole`: with input, errors, checkpoint and log,
/// which lists do not have. The input goes in as its exact bytes.
void write_job(JsonWriter& json, const Job& job, bool whole);

/// The members of a job without the braces, for what has more to say about it.
void write_job_members(JsonWriter& json, const Job& job, bool whole);

void write_dead_letter(JsonWriter& json, const DeadLetter& run);

/// `handler` or `forwarder`.
std::string_view to_string(DeadLetterKind kind);

/// What interfaces show as max_attempts: the limit in force, before the first claim what was
/// requested.
std::optional<int> shown_max_attempts(const Job& job);

}  // namespace jobhost::cli
