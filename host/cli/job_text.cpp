#include "host/cli/job_text.h"

#include <string_view>

#include "host/api/job_json.h"
#include "host/observe/duration_text.h"
#include "host/observe/printable.h"
#include "host/text/time_text.h"

namespace jobhost::cli {
namespace {

constexpr std::size_t kNameWidth = 17;

void append_line(std::string& out, std::string_view name, std::string_view value) {
    out += name;
    out += ':';
    out.append(kNameWidth - name.size(), ' ');
    out += value;
    out += '\n';
}

/// Left out when there is nothing to say.
void append_text(std::string& out, std::string_view name, std::string_view value) {
    if (!value.empty()) append_line(out, name, printable(value));
}

void append_time(std::string& out, std::string_view name, const std::optional<TimePoint>& time) {
    if (time) append_line(out, name, time_text(*time));
}

std::string times(int count) {
    return count == 1 ? "once" : std::to_string(count) + " times";
}

std::string attempts_text(const Job& job) {
    std::string text = std::to_string(job.attempts);
    if (const auto limit = api::shown_max_attempts(job)) text += " of " + std::to_string(*limit);
    if (!job.max_attempts)
        text += job.max_attempts_requested ? " (requested)" : " (limit set at the claim)";
    if (job.snoozes > 0) text += ", snoozed " + times(job.snoozes);
    if (job.orphanings > 0) text += ", orphaned " + times(job.orphanings);
    return text;
}

std::string join(const std::vector<std::string>& texts) {
    std::string joined;
    for (const std::string& text : texts) {
        if (!joined.empty()) joined += ", ";
        joined += text;
    }
    return joined;
}

void append_error(std::string& out, const JobError& error) {
    out += "  attempt " + std::to_string(error.attempt) + ", " + time_text(error.at) + ": " +
           printable(error.type) + ": " + printable(error.message) + '\n';
    std::string_view stack = error.stack_trace;
    while (!stack.empty()) {
        const std::size_t end = stack.find('\n');
        out += "    " + printable(stack.substr(0, end)) + '\n';
        stack.remove_prefix(end == std::string_view::npos ? stack.size() : end + 1);
    }
}

void append_lists(std::string& out, const Job& job, const std::vector<DeadLetter>& runs) {
    if (!job.errors.empty()) out += "errors:\n";
    for (const JobError& error : job.errors) append_error(out, error);

    if (!runs.empty()) out += "dead-letter runs:\n";
    for (const DeadLetter& run : runs) {
        out += "  " + std::to_string(run.run) + ' ' + std::string(api::to_string(run.kind)) + ' ' +
               printable(run.name) + ": " + std::string(jobhost::to_string(run.state));
        if (run.finished_at) out += ", " + time_text(*run.finished_at);
        if (!run.error.empty()) out += ", " + printable(run.error);
        out += '\n';
    }

    if (!job.log.empty()) out += "log:\n";
    for (const LogLine& line : job.log) {
        out += "  " + time_text(line.at) + ' ' + std::string(jobhost::to_string(line.level)) + ' ' +
               printable(line.text) + '\n';
    }
}

}  // namespace

std::string job_text(const Job& job, const std::vector<DeadLetter>& runs) {
    std::string out;
    append_line(out, "id", std::to_string(job.id));
    append_text(out, "type", job.type);
    append_text(out, "queue", job.queue);
    append_line(out, "priority", jobhost::to_string(job.priority));
    append_text(out, "tags", join(job.tags));
    append_line(out, "state", jobhost::to_string(job.state));
    append_text(out, "reason", job.reason);
    append_line(out, "attempts", attempts_text(job));
    append_line(out, "fence", std::to_string(job.fence));
    if (job.timeout_requested) {
        append_line(out, "timeout",
                    *job.timeout_requested == Duration::zero()
                        ? "none (requested)"
                        : duration_text(*job.timeout_requested) + " (requested)");
    }
    append_line(out, "created_at", time_text(job.created_at));
    append_line(out, "run_at", time_text(job.run_at));
    append_time(out, "started_at", job.started_at);
    append_time(out, "finished_at", job.finished_at);
    append_time(out, "expires_at", job.expires_at);
    if (job.node != 0) append_line(out, "node", std::to_string(job.node));
    append_text(out, "asked to stop", job.stopping);
    append_text(out, "cancel asked by", job.cancel_requested_by.value_or(""));
    append_text(out, "source", job.source);
    append_text(out, "idempotency_key", job.idempotency_key.value_or(""));
    if (job.parent_id) append_line(out, "parent_id", std::to_string(*job.parent_id));
    append_text(out, "traceparent", job.traceparent.value_or(""));
    if (job.progress_percent || !job.progress_text.empty()) {
        std::string progress =
            job.progress_percent ? std::to_string(*job.progress_percent) + " % " : std::string();
        append_text(out, "progress", progress + job.progress_text);
    }
    append_line(out, "input", printable_json(job.input));
    if (job.checkpoint) append_line(out, "checkpoint", printable_json(*job.checkpoint));
    append_lists(out, job, runs);
    return out;
}

}  // namespace jobhost::cli
