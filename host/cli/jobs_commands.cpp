#include <string>
#include <vector>

#include "host/api/filter_words.h"
#include "host/api/job_json.h"
#include "host/api/known_names.h"
#include "host/api/why.h"
#include "host/cli/commands.h"
#include "host/cli/exit_status.h"
#include "host/cli/job_text.h"
#include "host/cli/store_access.h"
#include "host/cli/text_table.h"
#include "host/text/time_text.h"

namespace jobhost::cli {
namespace {

[[noreturn]] void throw_missing(JobId id) {
    throw CommandError(kNotFound, "there is no job " + std::to_string(id));
}

void print_job_page(const JobPage& page, std::string_view nothing, Context& context) {
    if (context.json) {
        context.out.document(api::jobs_json(page, {}));
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
        const auto limit = api::shown_max_attempts(job);
        table.add({std::to_string(job.id), std::string(jobhost::to_string(job.state)), job.type,
                   job.queue, std::string(jobhost::to_string(job.priority)),
                   std::to_string(job.attempts) + (limit ? '/' + std::to_string(*limit) : ""),
                   time_text(job.created_at), time_text(job.run_at),
                   job.last_error ? job.last_error->type + ": " + job.last_error->message : ""});
    }
    print_table(table, nothing, context.out);
    if (!page.next.empty()) complain("there are more: add --after " + page.next);
}

}  // namespace

int run_command(const JobsListCommand& command, Context& context) {
    StoreAccess access(context.config_file);
    const JobFilter filter = api::job_filter(command.filter, access.store().now());
    warn_of_unknown_names(command.filter, access);
    const char* nothing = !command.after.empty() ? "no more jobs"
                          : filter.empty()       ? "there are no jobs"
                                                 : "no job matches";
    print_job_page(access.store().list_jobs(filter, command.limit, command.after), nothing,
                   context);
    return kDone;
}

int run_command(const JobsShowCommand& command, Context& context) {
    const JobId id = api::parse_id(command.id);
    StoreAccess access(context.config_file);
    access.bury_dead_nodes();
    const auto job = access.store().find_job(id);
    if (!job) throw_missing(id);
    const auto runs = access.store().dead_letters(id, std::nullopt, api::kMostRunsShown, 0);
    if (context.json) {
        context.out.document(api::job_json(*job, runs, true));
    } else {
        context.out.write(job_text(*job, runs));
    }
    return kDone;
}

int run_command(const WhyCommand& command, Context& context) {
    const JobId id = api::parse_id(command.id);
    StoreAccess access(context.config_file);
    access.bury_dead_nodes();
    const auto facts = api::why_facts(access.store(), id);
    if (!facts) throw_missing(id);
    const api::Why why = api::explain_why(*facts);
    if (context.json) {
        context.out.document(api::why_json(facts->job, why));
    } else {
        context.out.line("job " + std::to_string(id) + ": " + why.sentence);
    }
    return kDone;
}

}  // namespace jobhost::cli
