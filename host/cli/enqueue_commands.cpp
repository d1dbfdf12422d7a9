#include <set>
#include <span>
#include <string>
#include <variant>

#include "host/api/enqueue_answer.h"
#include "host/api/new_job_json.h"
#include "host/cli/commands.h"
#include "host/cli/exit_status.h"
#include "host/cli/new_job.h"
#include "host/cli/store_access.h"
#include "host/text/json_writer.h"
#include "storage/enqueue_rules.h"

namespace jobhost::cli {
namespace {

constexpr std::size_t kMostBulkBytes = std::size_t{4} * 1024 * 1024 * 1024;

/// `limit` is that of the store, so that a huge file is not read in vain.
std::string read_input(const std::string& words, std::size_t limit) {
    if (words == "-") return read_standard_input(limit);
    if (words.starts_with('@')) return read_file(words.substr(1), limit);
    return words;
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
    api::write_enqueued(json, stored, warning);
    context.out.document(json.text());
}

void print_bulk(const std::vector<NewJob>& jobs, const std::vector<Enqueued>& stored,
                api::EnqueueWarnings& warnings, Context& context) {
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
        api::write_enqueued(json, stored[i], warning);
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
        print_refusal(*refusal, api::refusal_text(*refusal), context);
        return kFailed;
    }
    const Enqueued& stored = std::get<std::vector<Enqueued>>(result).front();
    print_one(stored, api::EnqueueWarnings(access.store(), access.config()).of(*job, stored),
              context);
    return kDone;
}

int run_command(const BulkEnqueueCommand&, Context& context) {
    StoreAccess access(context.config_file, Missing::kCreate);
    const std::string text = read_standard_input(kMostBulkBytes);
    if (text.size() > kMostBulkBytes) {
        throw CommandError(kFailed, "standard input is longer than 4 GiB: send it in parts");
    }
    const auto bulk = api::parse_bulk(text, "cli");
    if (!bulk) {
        print_refusal({}, bulk.error(), context);
        return kFailed;
    }
    const EnqueueResult result = access.store().enqueue(bulk->jobs);
    if (const auto* refusal = std::get_if<EnqueueRefusal>(&result)) {
        const std::string line = std::to_string(bulk->lines.at(refusal->index));
        print_refusal(*refusal, "line " + line + ": " + api::refusal_text(*refusal), context);
        return kFailed;
    }
    api::EnqueueWarnings warnings(access.store(), access.config());
    print_bulk(bulk->jobs, std::get<std::vector<Enqueued>>(result), warnings, context);
    return kDone;
}

}  // namespace jobhost::cli
