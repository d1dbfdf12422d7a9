#include "host/api/why.h"

#include <algorithm>
#include <utility>

#include "host/api/job_json.h"
#include "host/api/places.h"
#include "host/observe/counted.h"
#include "host/observe/duration_text.h"
#include "host/text/json_writer.h"
#include "host/text/time_text.h"
#include "storage/check.h"

namespace jobhost::api {
namespace {

/// Due waiting jobs of one queue.
void count_due(Store& store, WhyFacts& facts) {
    for (const DueCount& count : store.due_counts(kDueCap)) {
        if (count.queue != facts.job.queue) continue;
        facts.due_in_queue += count.due;
        facts.due_is_capped = facts.due_is_capped || count.due >= kDueCap;
    }
}

using NodeRefs = std::vector<const Node*>;

std::string node_text(const Node& node) {
    std::string text = "node " + std::to_string(node.id);
    if (!node.registration.name.empty()) text += " (" + node.registration.name + ')';
    return text;
}

std::string error_text(const JobError& error) {
    return error.message.empty() ? error.type : error.type + ": " + error.message;
}

std::string at_text(TimePoint time, TimePoint now) {
    const Duration distance = time - now;
    return time_text(time) + (distance >= Duration::zero()
                                  ? " (in " + duration_text(distance) + ')'
                                  : " (" + duration_text(-distance) + " ago)");
}

std::string attempt_text(const Job& job) {
    std::string text = "attempt " + std::to_string(job.attempts);
    if (job.max_attempts) text += " of " + std::to_string(*job.max_attempts);
    return text;
}

bool has_type(const Node& node, const std::string& type) {
    return std::ranges::any_of(node.registration.types,
                               [&](const NodeType& known) { return known.name == type; });
}

bool has_queue(const Node& node, const std::string& queue) {
    return std::ranges::find(node.registration.queues, queue) != node.registration.queues.end();
}

NodeRefs live_nodes_with_type(const WhyFacts& facts) {
    NodeRefs found;
    for (const Node& node : facts.nodes) {
        if (node.state == NodeState::kLive && has_type(node, facts.job.type)) {
            found.push_back(&node);
        }
    }
    return found;
}

/// The pause that holds this job back on this node, or nullptr.
const Pause* pause_on(const WhyFacts& facts, const Node& node) {
    for (const Pause& pause : facts.pauses) {
        const bool mine = pause.kind == Pause::Kind::kQueue ? pause.name == facts.job.queue
                                                            : pause.name == facts.job.type;
        if (mine && (pause.service.empty() || pause.service == node.registration.service)) {
            return &pause;
        }
    }
    return nullptr;
}

Why paused(const Pause& pause) {
    const bool queue = pause.kind == Pause::Kind::kQueue;
    std::string text = std::string(queue ? "queue " : "type ") + pause.name + " is paused";
    if (!pause.service.empty()) text += " for service " + pause.service;
    text += " since " + time_text(pause.at);
    if (!pause.by.empty()) text += ", by " + pause.by;
    text += ": `jobhost " + std::string(queue ? "queues" : "types") + " resume " + pause.name;
    if (!pause.service.empty()) text += " --service " + pause.service;
    return {queue ? "paused_queue" : "paused_type", text + "` lets it run."};
}

Why no_node(const WhyFacts& facts, const NodeRefs& with_type) {
    if (with_type.empty()) {
        return {"no_live_node_for_type", "no live node runs the type " + facts.job.type +
                                             ": start a host whose plugins have it."};
    }
    return {"no_live_node_for_queue", "no live node that runs the type " + facts.job.type +
                                          " works on queue " + facts.job.queue +
                                          ": add the queue to the configuration of its service."};
}

Why waits_for_worker(const WhyFacts& facts) {
    const std::int64_t others = std::max<std::int64_t>(facts.due_in_queue - 1, 0);
    std::string text = "it is due since " + time_text(facts.job.run_at) +
                       " and waits for a free worker of queue " + facts.job.queue;
    if (others > 0) {
        text += ", where " + std::to_string(others) + (facts.due_is_capped ? " or more" : "") +
                (others == 1 ? " other due job waits" : " other due jobs wait") + " too";
    }
    return {"waits_for_worker", text + '.'};
}

/// It lives as far as the store knows, but has missed some beats by the store's clock. That proves
/// nothing, and tells where to look.
bool is_silent(const WhyFacts& facts, const Node& node) {
    const Duration patience = node.registration.beat_interval * 3;
    return patience > Duration::zero() && facts.now - node.beat_at > patience;
}

std::string silence_text(const WhyFacts& facts, const Node& node) {
    return node_text(node) + " has not been heard of for " +
           duration_text(facts.now - node.beat_at);
}

/// Every node that could run it is silent.
Why nodes_silent(const WhyFacts& facts, const Node& node) {
    return {"nodes_silent", "it is due since " + time_text(facts.job.run_at) + ", but " +
                                silence_text(facts, node) +
                                ", and no other node could run it: see whether its process is "
                                "stopped or its machine is away."};
}

Why due(const WhyFacts& facts) {
    const Job& job = facts.job;
    if (job.expires_at && *job.expires_at <= facts.now && !job.first_started_at) {
        return {"deadline_passed", "its deadline passed at " + time_text(*job.expires_at) +
                                       " before it could start: it will be marked as expired."};
    }
    const NodeRefs with_type = live_nodes_with_type(facts);
    NodeRefs able;
    std::ranges::copy_if(with_type, std::back_inserter(able),
                         [&](const Node* node) { return has_queue(*node, job.queue); });
    if (able.empty()) {
        // A pause of everything would hold it back all the same, but a node has to come first.
        return no_node(facts, with_type);
    }
    if (std::ranges::all_of(able, [&](const Node* node) { return is_silent(facts, *node); })) {
        return nodes_silent(facts, *able.front());
    }
    const Pause* first_pause = nullptr;
    for (const Node* node : able) {
        const Pause* pause = pause_on(facts, *node);
        if (pause == nullptr) return waits_for_worker(facts);
        if (first_pause == nullptr) first_pause = pause;
    }
    return paused(*first_pause);
}

Why scheduled(const WhyFacts& facts) {
    const Job& job = facts.job;
    const std::string when = at_text(job.run_at, facts.now);
    if (job.attempts > 0 && job.last_error && job.last_error->attempt == job.attempts) {
        return {"retry_waits", "its retry waits until " + when + ", since " + attempt_text(job) +
                                   " failed: " + error_text(*job.last_error) + '.'};
    }
    if (job.snoozes > 0) {
        return {"snoozed", "it asked to run again at " + when + " (snoozed " +
                               std::to_string(job.snoozes) + " times so far)."};
    }
    return {"scheduled", "it is scheduled for " + when + '.'};
}

Why orphaned(const WhyFacts& facts, const Node* owner) {
    const std::string whose = owner == nullptr ? "its node" : node_text(*owner);
    std::string text = "it is orphaned: " + whose + " died";
    if (owner != nullptr && !owner->death.empty()) text += " (" + owner->death + ')';
    if (!live_nodes_with_type(facts).empty()) {
        return {"orphaned", text + "; a live node with the type takes it over in a moment."};
    }
    const std::string service = owner == nullptr ? std::string() : owner->registration.service;
    return {"orphaned", text + ", and it waits for " +
                            (service.empty() ? "a node with the type " + facts.job.type
                                             : "service " + service) +
                            ": only a node that has the type " + facts.job.type +
                            " loaded may requeue or fail it."};
}

Why processing(const WhyFacts& facts) {
    const Job& job = facts.job;
    const auto found = std::ranges::find(facts.nodes, job.node, &Node::id);
    const Node* owner = found == facts.nodes.end() ? nullptr : &*found;
    if (owner == nullptr || owner->state != NodeState::kLive) return orphaned(facts, owner);

    const std::string where = node_text(*owner);
    if (!job.started_at) {
        // A start is stored with the node's next batch, so it may be a moment old.
        return {"claimed", "it was claimed by " + where + ", " + attempt_text(job) +
                               ", and starts there as soon as a worker of queue " + job.queue +
                               " takes it; its start is not stored yet."};
    }
    std::string text = "it runs on " + where + " since " + at_text(*job.started_at, facts.now) +
                       ", " + attempt_text(job);
    if (job.timeout_requested && *job.timeout_requested > Duration::zero()) {
        const TimePoint end = *job.started_at + *job.timeout_requested;
        text += end > facts.now ? ", its time limit is " : ", past its time limit of ";
        text += duration_text(*job.timeout_requested);
    }
    if (job.cancel_requested_by) {
        return {"cancel_requested", text + "; " + *job.cancel_requested_by +
                                        " asked it to stop, and it holds its worker slot until "
                                        "it returns."};
    }
    if (!job.stopping.empty()) {
        return {"stopping", text + "; " + job.stopping +
                                ", so it was asked to stop: it holds its worker slot until it "
                                "returns, and no retry runs beside it."};
    }
    if (is_silent(facts, *owner)) {
        return {"node_silent",
                text + "; " + silence_text(facts, *owner) + ", and counts as dead after " +
                    duration_text(owner->registration.beat_timeout) +
                    " of silence: a node that has the type takes the job over then."};
    }
    return {"running", text + '.'};
}

Why ended(const WhyFacts& facts) {
    const Job& job = facts.job;
    std::string text =
        "it " + std::string(job.state == JobState::kCancelled || job.state == JobState::kExpired
                                ? "was "
                                : "");
    text += to_string(job.state);
    if (job.finished_at) text += " at " + time_text(*job.finished_at);
    if (job.state == JobState::kSucceeded || job.state == JobState::kFailed) {
        text += ", after " + counted(job.attempts, "attempt");
    }
    if (!job.reason.empty()) text += " (" + job.reason + ')';
    if (job.state == JobState::kFailed && job.last_error) {
        text += ": " + error_text(*job.last_error);
    }
    const char* separator = "; dead-letter handling: ";
    for (const DeadLetter& run : facts.dead_letters) {
        text += std::exchange(separator, ", ");
        text += run.kind == DeadLetterKind::kHandler ? "handler" : "forwarder " + run.name;
        text += ' ' + std::string(to_string(run.state));
        if (!run.error.empty()) text += " (" + run.error + ')';
    }
    return {std::string(to_string(job.state)), text + '.'};
}

}  // namespace

Why explain_why(const WhyFacts& facts) {
    switch (facts.job.state) {
        case JobState::kScheduled:
        case JobState::kEnqueued:
            return facts.job.run_at > facts.now ? scheduled(facts) : due(facts);
        case JobState::kProcessing: return processing(facts);
        case JobState::kAwaiting:
            return {"awaiting", facts.job.parent_id ? "it waits for its parent, job " +
                                                          std::to_string(*facts.job.parent_id) + '.'
                                                    : "it waits for its parent."};
        case JobState::kSucceeded:
        case JobState::kFailed:
        case JobState::kExpired:
        case JobState::kCancelled: return ended(facts);
    }
    JOBHOST_CHECK(false && "an unknown job state");
    __builtin_unreachable();
}

std::optional<WhyFacts> why_facts(Store& store, JobId id) {
    auto job = store.find_job(id);
    if (!job) return std::nullopt;
    WhyFacts facts{.job = *std::move(job),
                   .now = store.now(),
                   .nodes = store.nodes(),
                   .pauses = store.pauses()};
    count_due(store, facts);
    if (facts.job.state == JobState::kFailed) {
        facts.dead_letters = store.dead_letters(id, std::nullopt, kMostRunsShown, 0);
        std::ranges::reverse(facts.dead_letters);  // in the order in which they run
    }
    return facts;
}

std::string why_json(const Job& job, const Why& why) {
    JsonWriter json;
    json.begin_object().key("id").id(job.id);
    json.field("state", jobhost::to_string(job.state))
        .field("code", why.code)
        .field("why", why.sentence)
        .end_object();
    return json.text();
}

}  // namespace jobhost::api
