#include <algorithm>
#include <string>
#include <vector>

#include "host/cli/commands.h"
#include "host/cli/exit_status.h"
#include "host/cli/filter_words.h"
#include "host/cli/job_json.h"
#include "host/cli/job_text.h"
#include "host/cli/known_names.h"
#include "host/cli/store_access.h"
#include "host/cli/text_table.h"
#include "host/text/time_text.h"
#include "host/why.h"

namespace jobhost::cli {
namespace {

constexpr int kMostRunsShown = 100;
constexpr std::int64_t kMostDueCounted = 10'000;

Job find_or_throw(Store& store, JobId id) {
    auto job = store.find_job(id);
    if (!job) throw CommandError(kNotFound, "there is no job " + std::to_string(id));
    return *std::move(job);
}

void print_job_page(const JobPage& page, std::string_view nothing, Context& context) {
    if (context.json) {
        JsonWriter json;
        json.begin_object().key("items").begin_array();
        for (const Job& job : page.jobs) write_job(json, job, false);
        json.end_array().text_or_null("next", page.next).end_object();
        context.out.document(json.text());
        return;
    }
    using enum TextTable::Align;
    TextTable table({{"ID", kRight},
                     {"STATE"},
                     {"TYPE"},
                     {"QUEUE"},
                     {"PRIORITY"},
                     {"ATTEMPTS", kRight},
                     {"CREATED_AT"},
                     {"RUN_AT"},
                     {"LAST_ERROR"}});
    for (const Job& job : page.jobs) {
        const auto limit = shown_max_attempts(job);
        table.add({std::to_string(job.id), std::string(jobhost::to_string(job.state)), job.type,
                   job.queue, std::string(jobhost::to_string(job.priority)),
                   std::to_string(job.attempts) + (limit ? '/' + std::to_string(*limit) : ""),
                   time_text(job.created_at), time_text(job.run_at),
                   job.last_error ? job.last_error->type + ": " + job.last_error->message : ""});
    }
    print_table(table, nothing, context.out);
    if (!page.next.empty()) complain("there are more: add --after " + page.next);
}

/// Due waiting jobs of one queue.
void count_due(Store& store, WhyFacts& facts) {
    for (const DueCount& count : store.due_counts(kMostDueCounted)) {
        if (count.queue != facts.job.queue) continue;
        facts.due_in_queue += count.due;
        facts.due_is_capped = facts.due_is_capped || count.due >= kMostDueCounted;
    }
}

}  // namespace

int run_command(const JobsListCommand& command, Context& context) {
    StoreAccess access(context.config_file);
    const JobFilter filter = job_filter(command.filter, access.store().now());
    warn_of_unknown_names(command.filter, access.store(), access.config());
    const char* nothing = !command.after.empty() ? "no more jobs"
                          : filter.empty()       ? "there are no jobs"
                                                 : "no job matches";
    print_job_page(access.store().list_jobs(filter, command.limit, command.after), nothing,
                   context);
    return kDone;
}

int run_command(const JobsShowCommand& command, Context& context) {
    const JobId id = parse_id(command.id);
    StoreAccess access(context.config_file);
    access.bury_dead_nodes();
    const Job job = find_or_throw(access.store(), id);
    const auto runs = access.store().dead_letters(id, std::nullopt, kMostRunsShown, 0);
    if (!context.json) {
        context.out.write(job_text(job, runs));
        return kDone;
    }
    JsonWriter json;
    json.begin_object();
    write_job_members(json, job, true);
    json.key("dead_letter").begin_array();
    for (const DeadLetter& run : runs) write_dead_letter(json, run);
    json.end_array().end_object();
    context.out.document(json.text());
    return kDone;
}

int run_command(const WhyCommand& command, Context& context) {
    const JobId id = parse_id(command.id);
    StoreAccess access(context.config_file);
    access.bury_dead_nodes();
    Store& store = access.store();
    WhyFacts facts{.job = find_or_throw(store, id),
                   .now = store.now(),
                   .nodes = store.nodes(),
                   .pauses = store.pauses()};
    count_due(store, facts);
    if (facts.job.state == JobState::kFailed) {
        facts.dead_letters = store.dead_letters(id, std::nullopt, kMostRunsShown, 0);
        std::ranges::reverse(facts.dead_letters);  // in the order in which they run
    }
    const Why why = explain_why(facts);
    if (!context.json) {
        context.out.line("job " + std::to_string(id) + ": " + why.sentence);
        return kDone;
    }
    JsonWriter json;
    json.begin_object().key("id").id(id);
    json.field("state", jobhost::to_string(facts.job.state))
        .field("code", why.code)
        .field("why", why.sentence)
        .end_object();
    context.out.document(json.text());
    return kDone;
}

}  // namespace jobhost::cli
