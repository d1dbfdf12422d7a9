#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "config/suggestion.h"
#include "host/cli/bulk_lines.h"
#include "host/cli/commands.h"
#include "host/cli/exit_status.h"
#include "host/cli/known_names.h"
#include "host/cli/new_job_options.h"
#include "host/cli/store_access.h"
#include "host/text/json_writer.h"
#include "storage/enqueue_rules.h"

namespace jobhost::cli {
namespace {

constexpr std::size_t kMostBulkBytes = std::size_t{4} * 1024 * 1024 * 1024;

/// What to tell about a job that nobody would run now; most likely a slip when there is a name that
/// is nearly the same.
class Warnings {
public:
    explicit Warnings(StoreAccess& access) : access_(access) {}

    std::string of(const NewJob& job, const Enqueued& stored) {
        const std::string warning = enqueue_warning(job, stored);
        if (warning.empty()) return {};
        if (!known_) known_ = known_names(access_.store(), access_.config());
        const bool is_type = !stored.has_live_node;
        const std::string& name = is_type ? job.type : job.queue;
        const std::set<std::string>& names = is_type ? known_->types : known_->queues;
        std::string text = warning + "; the job waits for one";
        if (!names.contains(name)) text += config::did_you_mean(name, names);
        if (is_type && !known_->queues.contains(job.queue)) {
            text += "; and no node and no configuration names the queue " + job.queue +
                    config::did_you_mean(job.queue, known_->queues);
        }
        return text;
    }

private:
    StoreAccess& access_;
    std::optional<KnownNames> known_ = {};
};

/// `limit` is that of the store, so that a huge file is not read in vain.
std::string read_input(const std::string& words, std::size_t limit) {
    if (words == "-") return read_standard_input(limit);
    if (words.starts_with('@')) return read_file(words.substr(1), limit);
    return words;
}

std::string refusal_text(const EnqueueRefusal& refusal) {
    if (refusal.existing == 0 ||
        refusal.reason.find(std::to_string(refusal.existing)) != std::string::npos) {
        return refusal.reason;
    }
    return refusal.reason + " (job " + std::to_string(refusal.existing) + ')';
}

/// What the refusal looks like for a program; people read it on standard error.
void print_refusal(const EnqueueRefusal& refusal, const std::string& sentence, Context& context) {
    complain("nothing was stored: " + sentence);
    if (!context.json) return;
    JsonWriter json;
    json.begin_object().field("error", sentence).key("existing_id").id(refusal.existing);
    json.end_object();
    context.out.document(json.text());
}

void print_one(const Enqueued& stored, const std::string& warning, Context& context) {
    if (stored.duplicate) {
        complain("job " + std::to_string(stored.id) +
                 " already has this idempotency key; no new job was stored");
    }
    if (!warning.empty()) complain("warning: " + warning);
    if (!context.json) {
        context.out.line(std::to_string(stored.id));
        return;
    }
    JsonWriter json;
    json.begin_object().key("id").id(stored.id);
    json.field("duplicate", stored.duplicate);
    if (!warning.empty()) json.field("warning", warning);
    context.out.document(json.end_object().text());
}

void print_bulk(const std::vector<NewJob>& jobs, const std::vector<Enqueued>& stored,
                Warnings& warnings, Context& context) {
    JsonWriter json;
    json.begin_object().key("items").begin_array();
    std::set<std::string> all_warnings;
    for (std::size_t i = 0; i < stored.size(); ++i) {
        const std::string warning = warnings.of(jobs[i], stored[i]);
        if (!warning.empty()) all_warnings.insert(warning);
        if (!context.json) {
            context.out.line(std::to_string(stored[i].id));
            continue;
        }
        json.begin_object().key("id").id(stored[i].id);
        json.field("duplicate", stored[i].duplicate);
        if (!warning.empty()) json.field("warning", warning);
        json.end_object();
        context.out.json(json.take());
    }
    for (const std::string& warning : all_warnings) complain("warning: " + warning);
    json.end_array().key("next").null().end_object();
    if (context.json) context.out.document(json.text());
}

}  // namespace

int run_command(const EnqueueCommand& command, Context& context) {
    auto job = new_job(command);
    if (!job) throw CommandError(kUsage, job.error());
    const config::Config config = load_configured(context.config_file);
    const auto limit = static_cast<std::size_t>(config.limits.max_input_bytes);
    if (command.input) job->input = read_input(*command.input, limit);
    // What can never be stored is a mistake of the line; the store refuses what depends on it.
    if (const auto reason = check_new_job(*job, limit)) {
        throw CommandError(kUsage, "nothing was stored: " + *reason);
    }
    StoreAccess access(config, Missing::kCreate);
    access.bury_dead_nodes();
    const EnqueueResult result = access.store().enqueue(std::span(&*job, 1));
    if (const auto* refusal = std::get_if<EnqueueRefusal>(&result)) {
        print_refusal(*refusal, refusal_text(*refusal), context);
        return kFailed;
    }
    const Enqueued& stored = std::get<std::vector<Enqueued>>(result).front();
    print_one(stored, Warnings(access).of(*job, stored), context);
    return kDone;
}

int run_command(const BulkEnqueueCommand&, Context& context) {
    StoreAccess access(context.config_file, Missing::kCreate);
    const std::string text = read_standard_input(kMostBulkBytes);
    if (text.size() > kMostBulkBytes) {
        throw CommandError(kFailed, "standard input is longer than 4 GiB: send it in parts");
    }
    const auto bulk = parse_bulk(text);
    if (!bulk) {
        print_refusal({}, bulk.error(), context);
        return kFailed;
    }
    const EnqueueResult result = access.store().enqueue(bulk->jobs);
    if (const auto* refusal = std::get_if<EnqueueRefusal>(&result)) {
        const std::string line = std::to_string(bulk->lines.at(refusal->index));
        print_refusal(*refusal, "line " + line + ": " + refusal_text(*refusal), context);
        return kFailed;
    }
    Warnings warnings(access);
    print_bulk(bulk->jobs, std::get<std::vector<Enqueued>>(result), warnings, context);
    return kDone;
}

}  // namespace jobhost::cli
