#include "host/api/job_json.h"

#include "storage/enqueue_rules.h"

namespace jobhost::api {
namespace {

/// Verbatim. What is no JSON can only be a broken row: shown as text, so that the document stays
/// one.
void write_verbatim(JsonWriter& json, const std::string& text) {
    if (check_json(text)) {
        json.value(text);
    } else {
        json.raw(text);
    }
}

void write_error(JsonWriter& json, const JobError& error) {
    json.begin_object()
        .field("type", error.type)
        .field("types", error.types)
        .field("message", error.message)
        .field("stack_trace", error.stack_trace)
        .field("attempt", error.attempt)
        .field("fence", error.fence)
        .field("at", error.at)
        .end_object();
}

void write_limits(JsonWriter& json, const Job& job) {
    json.field("attempts", job.attempts)
        .field("fence", job.fence)
        .field("max_attempts", shown_max_attempts(job))
        .field("max_attempts_requested", job.max_attempts_requested)
        .field("snoozes", job.snoozes)
        .field("orphanings", job.orphanings)
        .key("timeout_requested");
    if (job.timeout_requested) {
        json.seconds(*job.timeout_requested);
    } else {
        json.null();
    }
}

void write_progress(JsonWriter& json, const Job& job) {
    json.key("progress");
    if (!job.progress_percent && job.progress_text.empty()) {
        json.null();
        return;
    }
    json.begin_object()
        .field("percent", job.progress_percent)
        .field("text", job.progress_text)
        .end_object();
}

void write_texts(JsonWriter& json, const Job& job) {
    json.key("errors").begin_array();
    for (const JobError& error : job.errors) write_error(json, error);
    json.end_array().key("checkpoint");
    if (job.checkpoint) {
        write_verbatim(json, *job.checkpoint);
    } else {
        json.null();
    }
    json.key("log").begin_array();
    for (const LogLine& line : job.log) {
        json.begin_object()
            .field("at", line.at)
            .field("level", jobhost::to_string(line.level))
            .field("text", line.text)
            .end_object();
    }
    json.end_array();
}

enum class Parts { kListed, kWhole, kWholeWithInput };

void write_members(JsonWriter& json, const Job& job, Parts parts) {
    json.key("id").id(job.id);
    json.field("type", job.type)
        .field("queue", job.queue)
        .field("priority", jobhost::to_string(job.priority))
        .field("tags", job.tags)
        .field("state", jobhost::to_string(job.state));
    if (parts == Parts::kWholeWithInput) {
        json.key("input");
        write_verbatim(json, job.input);
    }
    json.field("input_bytes", static_cast<std::int64_t>(job.input_bytes));
    write_limits(json, job);
    json.field("created_at", job.created_at)
        .field("run_at", job.run_at)
        .field("first_started_at", job.first_started_at)
        .field("started_at", job.started_at)
        .field("finished_at", job.finished_at)
        .field("expires_at", job.expires_at);
    json.key("node").id(job.node);
    json.text_or_null("stopping", job.stopping)
        .field("cancel_requested_by", job.cancel_requested_by)
        .text_or_null("reason", job.reason)
        .field("source", job.source)
        .field("idempotency_key", job.idempotency_key);
    json.key("parent_id").id(job.parent_id.value_or(0));
    json.field("traceparent", job.traceparent).key("last_error");
    if (job.last_error) {
        write_error(json, *job.last_error);
    } else {
        json.null();
    }
    write_progress(json, job);
    if (parts != Parts::kListed) write_texts(json, job);
}

void write_dead_letter(JsonWriter& json, const DeadLetter& run) {
    json.begin_object();
    json.key("id").id(run.run);
    json.key("job_id").id(run.job);
    json.field("type", run.type)
        .field("kind", to_string(run.kind))
        .field("name", run.name)
        .field("state", jobhost::to_string(run.state))
        .field("tries", run.tries);
    json.key("node").id(run.node);
    json.field("created_at", run.created_at)
        .field("started_at", run.started_at)
        .field("finished_at", run.finished_at)
        .text_or_null("error", run.error)
        .end_object();
}

}  // namespace

std::optional<int> shown_max_attempts(const Job& job) {
    return job.max_attempts ? job.max_attempts : job.max_attempts_requested;
}

std::string job_json(const Job& job, const std::vector<DeadLetter>& runs, bool with_input) {
    JsonWriter json;
    json.begin_object();
    write_members(json, job, with_input ? Parts::kWholeWithInput : Parts::kWhole);
    json.key("dead_letter").begin_array();
    for (const DeadLetter& run : runs) write_dead_letter(json, run);
    json.end_array().end_object();
    return json.text();
}

std::string jobs_json(const JobPage& page, const std::vector<std::string>& warnings) {
    JsonWriter json;
    json.begin_object().key("items").begin_array();
    for (const Job& job : page.jobs) {
        json.begin_object();
        write_members(json, job, Parts::kListed);
        json.end_object();
    }
    json.end_array().text_or_null("next", page.next);
    if (!warnings.empty()) json.field("warnings", warnings);
    return json.end_object().text();
}

std::string dead_letters_json(const std::vector<DeadLetter>& runs, const std::string& next) {
    JsonWriter json;
    json.begin_object().key("items").begin_array();
    for (const DeadLetter& run : runs) write_dead_letter(json, run);
    json.end_array().text_or_null("next", next).end_object();
    return json.text();
}

std::string_view to_string(DeadLetterKind kind) {
    return kind == DeadLetterKind::kHandler ? "handler" : "forwarder";
}

}  // namespace jobhost::api
