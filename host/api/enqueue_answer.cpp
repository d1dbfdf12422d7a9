#include "host/api/enqueue_answer.h"

#include <set>

#include "config/suggestion.h"
#include "storage/enqueue_rules.h"

namespace jobhost::api {

std::string EnqueueWarnings::of(const NewJob& job, const Enqueued& stored) {
    const std::string warning = enqueue_warning(job, stored);
    if (warning.empty()) return {};
    if (!known_) known_ = known_names(store_, config_);
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

std::string refusal_text(const EnqueueRefusal& refusal) {
    const std::string id = std::to_string(refusal.existing);
    if (refusal.existing == 0 || refusal.reason.find(id) != std::string::npos) {
        return refusal.reason;
    }
    return refusal.reason + " (job " + id + ')';
}

void write_enqueued(JsonWriter& json, const Enqueued& stored, const std::string& warning) {
    json.begin_object().key("id").id(stored.id);
    json.field("duplicate", stored.duplicate);
    if (!warning.empty()) json.field("warning", warning);
    json.end_object();
}

}  // namespace jobhost::api
