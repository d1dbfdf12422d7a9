#include "storage/sql/read_job.h"

#include <algorithm>

#include "storage/sql/placed.h"
#include "storage/sql/session.h"

namespace jobhost::sql {
namespace {

// length() of a blob reads the row's header only, so a listed job's input is never touched.
constexpr std::string_view kJobRow =
    "SELECT lane, created_at, run_at, expires_at, max_attempts, timeout, idempotency_key, "
    "traceparent, source, parent_id, tags, {size input} FROM job WHERE id = ?1";
constexpr std::string_view kInput = "SELECT input FROM job WHERE id = ?1";
constexpr std::string_view kTrail =
    "SELECT run_at, first_started_at, node, snoozes, orphanings FROM trail WHERE id = ?1";
constexpr std::string_view kFaults =
    "SELECT type, types, message, stack, attempt, fence, at FROM fault WHERE id = ?1 "
    "ORDER BY fence";
constexpr std::string_view kLastFault =
    "SELECT type, types, substr(message, 1, 1000), '', attempt, fence, at FROM fault "
    "WHERE id = ?1 ORDER BY fence DESC LIMIT 1";
constexpr std::string_view kProgress = "SELECT percent, text FROM progress WHERE id = ?1";
constexpr std::string_view kCheckpoint = "SELECT body FROM checkpoint WHERE id = ?1";
constexpr std::string_view kLog =
    "SELECT at, level, text FROM log WHERE id = ?1 ORDER BY line DESC LIMIT 200";

std::optional<int> optional_int(const Query& row, int column) {
    const auto value = row.optional_integer(column);
    if (!value) return std::nullopt;
    return static_cast<int>(*value);
}

void read_lane(Session& session, Lane lane, Job& job) {
    job.queue = shown_name(session, queue_of(lane));
    job.type = shown_name(session, type_of(lane));
    job.priority = priority_of(lane);
}

bool read_job_row(Session& session, Job& job) {
    Query row = session.query(kJobRow);
    if (!row.bind(1, job.id).step()) return false;
    job.created_at = row.time(1);
    job.run_at = row.time(2);
    job.expires_at = row.optional_time(3);
    job.max_attempts_requested = optional_int(row, 4);
    if (const auto timeout = row.optional_integer(5)) job.timeout_requested = Duration(*timeout);
    job.idempotency_key = row.optional_text(6);
    job.traceparent = row.optional_text(7);
    job.source = row.text(8);
    job.parent_id = row.optional_integer(9);
    job.tags = split_lines(row.view(10));
    job.input_bytes = static_cast<std::size_t>(row.integer(11));
    read_lane(session, row.integer(0), job);
    return true;
}

void read_trail(Session& session, Job& job) {
    Query row = session.query(kTrail);
    if (!row.bind(1, job.id).step()) return;
    job.run_at = row.time(0);
    job.first_started_at = row.optional_time(1);
    job.node = row.integer(2);
    job.snoozes = static_cast<int>(row.integer(3));
    job.orphanings = static_cast<int>(row.integer(4));
}

void read_place(const Placed& placed, Job& job) {
    job.state = placed.state;
    job.attempts = placed.attempts;
    job.fence = placed.fence;
    job.max_attempts = placed.max_attempts;
    job.started_at = placed.started_at;
    job.finished_at = placed.finished_at;
    job.reason = placed.reason;
    job.cancel_requested_by = placed.cancel_by;
    job.stopping = placed.stopping;
    if (placed.table != Placed::Table::kPending) job.node = placed.node;
    if (!is_terminal(placed.state)) job.run_at = TimePoint(Duration(placed.run_at));
    if (!job.first_started_at && placed.table != Placed::Table::kPending) {
        job.first_started_at = placed.started_at;
    }
}

void read_faults(Session& session, Detail detail, Job& job) {
    Query row = session.query(detail == Detail::kWhole ? kFaults : kLastFault);
    row.bind(1, job.id);
    while (row.step()) {
        job.errors.push_back({.type = row.text(0),
                              .types = split_lines(row.view(1)),
                              .message = row.text(2),
                              .stack_trace = row.text(3),
                              .attempt = static_cast<int>(row.integer(4)),
                              .fence = row.integer(5),
                              .at = row.time(6)});
    }
    if (job.errors.empty()) return;
    job.last_error = job.errors.back();
    if (detail == Detail::kListed) job.errors.clear();
}

void read_progress(Session& session, Job& job) {
    Query row = session.query(kProgress);
    if (!row.bind(1, job.id).step()) return;
    job.progress_percent = optional_int(row, 0);
    job.progress_text = row.text(1);
}

LogLevel level_of(std::int64_t number) {
    constexpr auto kLast = static_cast<std::int64_t>(LogLevel::kError);
    return static_cast<LogLevel>(std::clamp(number, std::int64_t{0}, kLast));
}

void read_large(Session& session, Job& job) {
    if (Query row = session.query(kInput); row.bind(1, job.id).step()) job.input = row.text(0);
    if (Query row = session.query(kCheckpoint); row.bind(1, job.id).step()) {
        job.checkpoint = row.text(0);
    }
    Query row = session.query(kLog);
    row.bind(1, job.id);
    while (row.step()) {
        job.log.push_back(
            {.at = row.time(0), .level = level_of(row.integer(1)), .text = row.text(2)});
    }
    std::ranges::reverse(job.log);
}

}  // namespace

std::string shown_name(Session& session, std::int64_t id) {
    const std::string* name = session.names().text_of(id);
    return name != nullptr ? *name : "unknown:" + std::to_string(id);
}

std::optional<Job> read_job(Session& session, JobId id, Detail detail) {
    Job job{.id = id};
    const bool has_row = read_job_row(session, job);
    const std::optional<Placed> placed = find_placed(session, id);
    if (!has_row && !placed) return std::nullopt;
    read_trail(session, job);
    if (placed) {
        read_place(*placed, job);
        if (!has_row) {
            read_lane(session, placed->lane, job);
            job.reason = "broken: what was enqueued is not in the store any more";
        }
    } else {
        job.state = JobState::kFailed;
        job.reason = "broken: no table of the store holds its state";
    }
    read_faults(session, detail, job);
    read_progress(session, job);
    if (detail == Detail::kWhole) read_large(session, job);
    return job;
}

}  // namespace jobhost::sql
