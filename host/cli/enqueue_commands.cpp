#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "host/cli/bulk_lines.h"
#include "host/cli/commands.h"
#include "host/cli/exit_status.h"
#include "host/cli/new_job_options.h"
#include "host/cli/store_access.h"
#include "host/json_writer.h"

namespace jobhost::cli {
namespace {

constexpr std::size_t kMostBulkBytes = std::size_t{4} * 1024 * 1024 * 1024;

std::string no_live_node(const std::string& type) {
    return "no live node runs the type " + type + "; the job waits for one";
}

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
    context.out.line(json.text());
}

void print_one(const NewJob& job, const Enqueued& stored, Context& context) {
    if (stored.duplicate) {
        complain("job " + std::to_string(stored.id) +
                 " already has this idempotency key; no new job was stored");
    }
    const std::string warning = stored.has_live_node ? std::string() : no_live_node(job.type);
    if (!warning.empty()) complain("warning: " + warning);
    if (!context.json) {
        context.out.line(std::to_string(stored.id));
        return;
    }
    JsonWriter json;
    json.begin_object().key("id").id(stored.id);
    json.field("duplicate", stored.duplicate);
    if (!warning.empty()) json.field("warning", warning);
    context.out.line(json.end_object().text());
}

void print_bulk(const std::vector<NewJob>& jobs, const std::vector<Enqueued>& stored,
                Context& context) {
    JsonWriter json;
    json.begin_object().key("items").begin_array();
    std::set<std::string> without_node;
    for (std::size_t i = 0; i < stored.size(); ++i) {
        if (!stored[i].has_live_node) without_node.insert(jobs[i].type);
        if (!context.json) {
            context.out.line(std::to_string(stored[i].id));
            continue;
        }
        json.begin_object().key("id").id(stored[i].id);
        json.field("duplicate", stored[i].duplicate);
        if (!stored[i].has_live_node) json.field("warning", no_live_node(jobs[i].type));
        json.end_object();
        context.out.write(json.take());
    }
    for (const std::string& type : without_node) complain("warning: " + no_live_node(type));
    json.end_array().key("next").null().end_object();
    if (context.json) context.out.line(json.text());
}

}  // namespace

int run_command(const EnqueueCommand& command, Context& context) {
    auto job = new_job(command);
    if (!job) throw CommandError(kUsage, job.error());
    StoreAccess access(context.config_file);
    if (command.input) {
        const auto limit = static_cast<std::size_t>(access.config().limits.max_input_bytes);
        job->input = read_input(*command.input, limit);
    }
    const EnqueueResult result = access.store().enqueue(std::span(&*job, 1));
    if (const auto* refusal = std::get_if<EnqueueRefusal>(&result)) {
        print_refusal(*refusal, refusal_text(*refusal), context);
        return kFailed;
    }
    print_one(*job, std::get<std::vector<Enqueued>>(result).front(), context);
    return kDone;
}

int run_command(const BulkEnqueueCommand&, Context& context) {
    StoreAccess access(context.config_file);
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
    print_bulk(bulk->jobs, std::get<std::vector<Enqueued>>(result), context);
    return kDone;
}

}  // namespace jobhost::cli
