#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "host/cli/commands.h"
#include "host/cli/exit_status.h"
#include "host/cli/filter_words.h"
#include "host/cli/known_names.h"
#include "host/cli/store_access.h"
#include "host/observe/counted.h"
#include "host/text/json_writer.h"
#include "storage/check.h"

namespace jobhost::cli {
namespace {

using Act = JobsActCommand::Act;
using Outcome = ControlAnswer::Outcome;

constexpr int kPage = 500;

struct Words {
    const char* verb;  // for `would be`
    const char* done;
};

Words words_of(Act act) {
    switch (act) {
        case Act::kRequeue: return {"requeue", "requeued"};
        case Act::kCancel: return {"cancel", "cancelled"};
        case Act::kDelete: return {"delete", "deleted"};
    }
    JOBHOST_CHECK(false && "an unknown act");
    __builtin_unreachable();
}

/// What a filter that names no state takes: never more than the act is plainly meant for.
std::vector<JobState> usual_states(Act act) {
    using enum JobState;
    switch (act) {
        case Act::kRequeue: return {kFailed, kExpired, kCancelled};
        case Act::kCancel: return {kScheduled, kEnqueued, kProcessing, kAwaiting};
        case Act::kDelete: return {kSucceeded, kFailed, kExpired, kCancelled};
    }
    JOBHOST_CHECK(false && "an unknown act");
    __builtin_unreachable();
}

/// Acts on jobs one after another and says what came of each, as it goes: a filter may mean
/// millions.
class ActRun {
public:
    ActRun(const JobsActCommand& command, Store& store, Context& context)
        : command_(command), store_(store), context_(context), words_(words_of(command.act)) {
        if (context_.json) json_.begin_object().key("items").begin_array();
    }

    void by_ids(const std::vector<JobId>& ids) {
        for (const JobId id : ids) {
            const auto job = command_.dry_run ? store_.find_job(id) : std::optional<Job>();
            if (command_.dry_run) {
                job ? say_would(*job) : say(id, {.outcome = Outcome::kNotFound});
            } else {
                say(id, act(id));
            }
        }
    }

    void by_filter(JobFilter filter) {
        if (filter.states.empty()) filter.states = usual_states(command_.act);
        // The ids first: acting moves jobs from one place of the list to another.
        std::vector<JobId> ids;
        std::string after;
        do {
            const JobPage page = store_.list_jobs(filter, kPage, after);
            for (const Job& job : page.jobs) {
                if (command_.dry_run) {
                    say_would(job);
                } else {
                    ids.push_back(job.id);
                }
            }
            after = page.next;
        } while (!after.empty());
        by_ids(ids);
    }

    int finish() {
        if (context_.json) {
            json_.end_array().field("next", std::optional<std::string>());
            json_.field(command_.dry_run ? "would" : "done", done_)
                .field("requested", requested_)
                .field("refused", refused_)
                .field("not_found", not_found_)
                .end_object();
            context_.out.document(json_.text());
        } else if (done_ + requested_ + refused_ + not_found_ != 1) {
            complain(summary());
        }
        if (refused_ > 0) return kFailed;
        return not_found_ > 0 ? kNotFound : kDone;
    }

private:
    ControlAnswer act(JobId id) {
        switch (command_.act) {
            case Act::kRequeue: return store_.requeue_job(id, command_.fresh);
            case Act::kCancel: return store_.cancel_job(id, acting_user());
            case Act::kDelete: return store_.delete_job(id);
        }
        JOBHOST_CHECK(false && "an unknown act");
        __builtin_unreachable();
    }

    bool runs_on_live_node(const Job& job) const {
        return std::ranges::any_of(store_.nodes(), [&](const Node& node) {
            return node.id == job.node && node.state == NodeState::kLive;
        });
    }

    /// What the store would say, as far as the state tells.
    bool would_refuse(const Job& job) const {
        switch (command_.act) {
            case Act::kRequeue: return !is_terminal(job.state);
            case Act::kCancel: return is_terminal(job.state);
            case Act::kDelete: return job.state == JobState::kProcessing && runs_on_live_node(job);
        }
        return false;
    }

    void say_would(const Job& job) {
        if (would_refuse(job)) {
            const std::string now = "job " + std::to_string(job.id) + " is " +
                                    std::string(jobhost::to_string(job.state));
            return say(job.id, {.outcome = Outcome::kRefused, .reason = now, .state = job.state});
        }
        ++done_;
        if (!context_.json) {
            context_.out.line(std::to_string(job.id) + " would be " + words_.done);
            return;
        }
        json_.begin_object().key("id").id(job.id);
        json_.field("outcome", "would").field("state", jobhost::to_string(job.state)).end_object();
        context_.out.json(json_.take());
    }

    void say(JobId id, const ControlAnswer& answer) {
        std::string word = words_.done;
        switch (answer.outcome) {
            case Outcome::kDone: ++done_; break;
            case Outcome::kRequested:
                ++requested_;
                word = "asked to stop";
                break;
            case Outcome::kNotFound:
                ++not_found_;
                word = "not found";
                break;
            case Outcome::kRefused:
                ++refused_;
                word = "refused";
                break;
        }
        if (context_.json) {
            say_in_json(id, answer);
        } else if (answer.outcome == Outcome::kNotFound) {
            complain("there is no job " + std::to_string(id));
        } else if (answer.outcome == Outcome::kRefused) {
            complain(answer.reason.empty() ? "job " + std::to_string(id) + " was refused"
                                           : answer.reason);
        } else {
            context_.out.line(std::to_string(id) + ' ' + word);
        }
    }

    void say_in_json(JobId id, const ControlAnswer& answer) {
        constexpr std::array<const char*, 4> kOutcomes = {"done", "requested", "not_found",
                                                          "refused"};
        json_.begin_object().key("id").id(id);
        json_.field("outcome", kOutcomes.at(static_cast<std::size_t>(answer.outcome)))
            .text_or_null("reason", answer.reason)
            .key("state");
        const bool is_gone = answer.outcome == Outcome::kNotFound ||
                             (answer.outcome == Outcome::kDone && command_.act == Act::kDelete);
        is_gone ? json_.null() : json_.value(jobhost::to_string(answer.state));
        json_.end_object();
        context_.out.json(json_.take());
    }

    std::string summary() const {
        if (command_.dry_run) {
            return counted(done_, "job") + " would be " + words_.done;
        }
        std::string text = counted(done_, "job") + " " + words_.done;
        if (requested_ > 0) text += ", " + std::to_string(requested_) + " asked to stop";
        if (refused_ > 0) text += ", " + std::to_string(refused_) + " refused";
        if (not_found_ > 0) text += ", " + std::to_string(not_found_) + " not found";
        return text;
    }

    const JobsActCommand& command_;
    Store& store_;
    Context& context_;
    const Words words_;
    JsonWriter json_;
    std::int64_t done_ = 0;
    std::int64_t requested_ = 0;
    std::int64_t refused_ = 0;
    std::int64_t not_found_ = 0;
};

}  // namespace

int run_command(const JobsActCommand& command, Context& context) {
    std::vector<JobId> ids;
    for (const std::string& word : command.ids) ids.push_back(parse_id(word));
    const bool filtered = !job_filter(command.filter, {}).empty();
    const std::string verb = words_of(command.act).verb;
    if (ids.empty() && !filtered) {
        throw CommandError(kUsage,
                           "which jobs? Give ids, or a filter such as --state failed or "
                           "--type NAME; see `jobhost jobs " +
                               verb + " --help`");
    }
    if (!ids.empty() && filtered) {
        throw CommandError(kUsage, "give ids or a filter, not both");
    }
    StoreAccess access(context.config_file);
    access.bury_dead_nodes();
    ActRun run(command, access.store(), context);
    if (filtered) {
        warn_of_unknown_names(command.filter, access.store(), access.config());
        run.by_filter(job_filter(command.filter, access.store().now()));
    } else {
        run.by_ids(ids);
    }
    return run.finish();
}

}  // namespace jobhost::cli
