#include <string>
#include <vector>

#include "host/api/act.h"
#include "host/api/filter_words.h"
#include "host/cli/commands.h"
#include "host/cli/exit_status.h"
#include "host/cli/store_access.h"
#include "host/observe/counted.h"
#include "host/text/json_writer.h"

namespace jobhost::cli {
namespace {

using Outcome = ControlAnswer::Outcome;

/// Says what came of each job, as it goes.
class ActReport {
public:
    ActReport(const JobsActCommand& command, Context& context)
        : command_(command), context_(context) {
        if (context_.json) json_.begin_object().key("items").begin_array();
    }

    void tell(const api::ActItem& item) {
        if (context_.json) {
            api::write_act_item(json_, command_.act, item);
            context_.out.json(json_.take());
        } else {
            say(item);
        }
    }

    int finish(const api::ActCounts& counts) {
        if (context_.json) {
            json_.end_array().key("next").null();
            api::write_act_counts(json_, command_.dry_run, counts);
            context_.out.document(json_.end_object().text());
        } else if (counts.done + counts.requested + counts.refused + counts.not_found != 1) {
            complain(summary(counts));
        }
        if (counts.refused > 0) return kFailed;
        return counts.not_found > 0 ? kNotFound : kDone;
    }

private:
    void say(const api::ActItem& item) {
        const std::string id = std::to_string(item.id);
        const std::string done = api::done_word(command_.act);
        if (item.would) return context_.out.line(id + " would be " + done);
        switch (item.answer.outcome) {
            case Outcome::kDone: return context_.out.line(id + ' ' + done);
            case Outcome::kRequested: return context_.out.line(id + " asked to stop");
            case Outcome::kNotFound: return complain("there is no job " + id);
            case Outcome::kRefused:
                return complain(item.answer.reason.empty() ? "job " + id + " was refused"
                                                           : item.answer.reason);
        }
    }

    std::string summary(const api::ActCounts& counts) const {
        const std::string done = api::done_word(command_.act);
        if (command_.dry_run) return counted(counts.done, "job") + " would be " + done;
        std::string text = counted(counts.done, "job") + " " + done;
        if (counts.requested > 0)
            text += ", " + std::to_string(counts.requested) + " asked to stop";
        if (counts.refused > 0) text += ", " + std::to_string(counts.refused) + " refused";
        if (counts.not_found > 0) text += ", " + std::to_string(counts.not_found) + " not found";
        return text;
    }

    const JobsActCommand& command_;
    Context& context_;
    JsonWriter json_;
};

}  // namespace

int run_command(const JobsActCommand& command, Context& context) {
    std::vector<JobId> ids;
    for (const std::string& word : command.ids) ids.push_back(api::parse_id(word));
    const bool filtered = !api::job_filter(command.filter, {}).empty();
    if (ids.empty() && !filtered) {
        throw CommandError(kUsage,
                           "which jobs? Give ids, or a filter such as --state failed or "
                           "--type NAME; see `jobhost jobs " +
                               std::string(api::verb_of(command.act)) + " --help`");
    }
    if (!ids.empty() && filtered) {
        throw CommandError(kUsage, "give ids or a filter, not both");
    }
    StoreAccess access(context.config_file);
    access.bury_dead_nodes();
    ActReport report(command, context);
    api::JobActs acts(access.store(),
                      {.act = command.act,
                       .dry_run = command.dry_run,
                       .fresh = command.fresh,
                       .by = acting_user()},
                      [&](const api::ActItem& item) { report.tell(item); });
    if (filtered) {
        warn_of_unknown_names(command.filter, access);
        acts.by_filter(api::job_filter(command.filter, access.store().now()));
    } else {
        acts.by_ids(ids);
    }
    return report.finish(acts.counts());
}

}  // namespace jobhost::cli
