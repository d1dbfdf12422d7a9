#include <cstdint>
#include <string>
#include <vector>

#include "host/api/dead_letters.h"
#include "host/api/filter_words.h"
#include "host/api/job_json.h"
#include "host/cli/commands.h"
#include "host/cli/exit_status.h"
#include "host/cli/store_access.h"
#include "host/cli/text_table.h"
#include "host/text/time_text.h"

namespace jobhost::cli {
namespace {

void print_runs(const std::vector<DeadLetter>& runs, const std::string& next, Context& context) {
    if (context.json) {
        context.out.document(api::dead_letters_json(runs, next));
        return;
    }
    using enum TextTable::Align;
    TextTable table({{"ID", kRight},
                     {"JOB", kRight},
                     {"TYPE"},
                     {"KIND"},
                     {"NAME"},
                     {"STATE"},
                     {"CREATED_AT"},
                     {"FINISHED_AT"},
                     {"ERROR"}});
    for (const DeadLetter& run : runs) {
        table.add({std::to_string(run.run), std::to_string(run.job), run.type,
                   std::string(api::to_string(run.kind)), run.name,
                   std::string(jobhost::to_string(run.state)), time_text(run.created_at),
                   run.finished_at ? time_text(*run.finished_at) : "", run.error});
    }
    print_table(table, "no dead-letter run matches", context.out);
    if (!next.empty()) complain("there are more: add --after " + next);
}

void print_rerun(std::int64_t old_run, const RerunAnswer& answer, Context& context) {
    if (context.json) return context.out.document(api::rerun_json(old_run, answer));
    context.out.line(std::to_string(answer.run));
    const std::string warning = api::rerun_warning(answer);
    if (!warning.empty()) complain("warning: " + warning);
}

}  // namespace

int run_command(const DeadLetterListCommand& command, Context& context) {
    const JobId job = command.job.empty() ? 0 : api::parse_id(command.job);
    const auto state = api::parse_dead_letter_state(command.state);
    const std::int64_t after = api::parse_run_place(command.after);
    StoreAccess access(context.config_file);
    const auto [runs, next] =
        api::dead_letter_page(access.store(), job, state, command.limit, after);
    print_runs(runs, next, context);
    return kDone;
}

int run_command(const DeadLetterRerunCommand& command, Context& context) {
    const std::int64_t run = api::parse_id(command.id);
    StoreAccess access(context.config_file);
    access.bury_dead_nodes();
    const RerunAnswer answer = api::rerun(access.store(), run, command.force);
    print_rerun(run, answer, context);
    return kDone;
}

}  // namespace jobhost::cli
