#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

#include "host/cli/commands.h"
#include "host/cli/exit_status.h"
#include "host/cli/filter_words.h"
#include "host/cli/job_json.h"
#include "host/cli/store_access.h"
#include "host/cli/text_table.h"
#include "host/text/json_writer.h"
#include "host/text/time_text.h"

namespace jobhost::cli {
namespace {

std::int64_t parse_place(const std::string& words) {
    if (words.empty()) return 0;
    std::int64_t place = 0;
    const char* end = words.data() + words.size();
    const auto [stop, error] = std::from_chars(words.data(), end, place);
    if (error != std::errc() || stop != end || place <= 0) {
        throw CommandError(kUsage, "--after " + words + ": give what `next` said");
    }
    return place;
}

void print_runs(const std::vector<DeadLetter>& runs, const std::string& next, Context& context) {
    if (context.json) {
        JsonWriter json;
        json.begin_object().key("items").begin_array();
        for (const DeadLetter& run : runs) write_dead_letter(json, run);
        json.end_array().text_or_null("next", next).end_object();
        context.out.document(json.text());
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
                   std::string(to_string(run.kind)), run.name,
                   std::string(jobhost::to_string(run.state)), time_text(run.created_at),
                   run.finished_at ? time_text(*run.finished_at) : "", run.error});
    }
    print_table(table, "no dead-letter run matches", context.out);
    if (!next.empty()) complain("there are more: add --after " + next);
}

void print_rerun(std::int64_t old_run, const RerunAnswer& answer, Context& context) {
    constexpr const char* kNobody = "no live node can do it now; it waits for one";
    if (!context.json) {
        context.out.line(std::to_string(answer.run));
        if (!answer.has_live_node) complain(std::string("warning: ") + kNobody);
        return;
    }
    JsonWriter json;
    json.begin_object().key("id").id(answer.run).key("rerun_of").id(old_run);
    if (!answer.has_live_node) json.field("warning", kNobody);
    json.end_object();
    context.out.document(json.text());
}

}  // namespace

int run_command(const DeadLetterListCommand& command, Context& context) {
    const JobId job = command.job.empty() ? 0 : parse_id(command.job);
    const auto state = parse_dead_letter_state(command.state);
    const std::int64_t after = parse_place(command.after);
    StoreAccess access(context.config_file);
    // One more than asked for tells whether there is a next page.
    auto runs = access.store().dead_letters(job, state, command.limit + 1, after);
    std::string next;
    if (runs.size() > static_cast<std::size_t>(command.limit)) {
        runs.pop_back();
        next = std::to_string(runs.back().run);
    }
    print_runs(runs, next, context);
    return kDone;
}

int run_command(const DeadLetterRerunCommand& command, Context& context) {
    const std::int64_t run = parse_id(command.id);
    StoreAccess access(context.config_file);
    access.bury_dead_nodes();
    const RerunAnswer answer = access.store().rerun_dead_letter(run, command.force);
    switch (answer.outcome) {
        case ControlAnswer::Outcome::kNotFound: throw CommandError(kNotFound, answer.reason);
        case ControlAnswer::Outcome::kRefused: throw CommandError(kFailed, answer.reason);
        case ControlAnswer::Outcome::kDone:
        case ControlAnswer::Outcome::kRequested: break;
    }
    print_rerun(run, answer, context);
    return kDone;
}

}  // namespace jobhost::cli
