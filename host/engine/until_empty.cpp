#include "host/engine/until_empty.h"

#include <algorithm>
#include <utility>

#include "storage/storage_error.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kCountCap = 1'000'000;
constexpr int kPage = 1000;
constexpr Duration kLookEvery = 20ms;
constexpr Duration kLookAtOthersEvery = 100ms;

/// A counter that moved no longer ago than this many of its beats is that of a node that lives.
constexpr int kFreshBeats = 2;

}  // namespace

UntilEmpty::UntilEmpty(std::unique_ptr<Store> session, Services services)
    : session_(std::move(session)), services_(std::move(services)) {}

bool UntilEmpty::wait(const std::function<bool()>& stopped) {
    while (!stopped()) {
        waits_for_others_ = false;
        try {
            if (is_empty()) return true;
        } catch (const StorageError&) {  // the store thread says it
        }
        const Duration pause = waits_for_others_ ? kLookAtOthersEvery : kLookEvery;
        services_.wait_for_news(services_.clock.steady_now() + pause);
    }
    return false;
}

/// The dead first: what they held has become due, or something owed, by the time of the next look.
bool UntilEmpty::is_empty() {
    if (!services_.is_idle() || waits_for_the_silent()) return false;
    std::int64_t due = 0;
    count_waiting(1, due);
    return due == 0 && session_->leases_of(services_.membership.node()).empty() &&
           session_->open_dead_letters(services_.types.type_names()) == 0 && services_.is_idle();
}

bool UntilEmpty::is_own(const std::string& queue, const std::string& type) const {
    const std::shared_ptr<const Plan> plan = services_.plans.get();
    return services_.types.find(type) != nullptr &&
           std::ranges::find(plan->queues, queue, &QueuePlan::name) != plan->queues.end();
}

Leftover UntilEmpty::count_waiting(std::int64_t cap, std::int64_t& due) {
    Leftover left;
    const std::shared_ptr<const Plan> plan = services_.plans.get();
    const std::vector<Pause> pauses = session_->pauses();
    const auto is_paused = [&](const DueCount& count) {
        return std::ranges::any_of(pauses, [&](const Pause& pause) {
            if (!pause.service.empty() && pause.service != plan->settings.service) return false;
            return pause.name == (pause.kind == Pause::Kind::kQueue ? count.queue : count.type);
        });
    };
    due = 0;
    std::int64_t all_due = 0;
    for (const DueCount& count : session_->due_counts(cap)) {
        if (!is_own(count.queue, count.type)) continue;
        all_due += count.due;
        (is_paused(count) ? left.paused : due) += count.due;
    }
    std::int64_t waiting = 0;
    for (const TypeCounts& count : session_->type_counts()) {
        if (is_own(count.queue, count.type)) {
            waiting += count.waiting;
        } else if (services_.types.find(count.type) == nullptr) {
            left.other_types += count.waiting;
        } else {
            left.other_queues += count.waiting;
        }
    }
    left.later = std::max<std::int64_t>(waiting - all_due, 0);
    return left;
}

Leftover UntilEmpty::leftover() {
    std::int64_t due = 0;
    Leftover left = count_waiting(kCountCap, due);
    for (const auto& [node, jobs] : jobs_on_other_nodes()) left.elsewhere += jobs;
    return left;
}

/// Own jobs in `processing`, by the node that holds them. Counts are kept, so that nothing is
/// listed where there is nothing.
std::map<NodeId, std::int64_t> UntilEmpty::jobs_on_other_nodes() {
    std::map<NodeId, std::int64_t> jobs;
    for (const TypeCounts& count : session_->type_counts()) {
        if (count.processing == 0 || !is_own(count.queue, count.type)) continue;
        const JobFilter filter{
            .states = {JobState::kProcessing}, .queue = count.queue, .type = count.type};
        std::string after;
        do {
            const JobPage page = session_->list_jobs(filter, kPage, after);
            for (const Job& job : page.jobs) {
                if (job.node != services_.membership.node()) ++jobs[job.node];
            }
            after = page.next;
        } while (!after.empty());
    }
    return jobs;
}

bool UntilEmpty::waits_for_the_silent() {
    std::map<NodeId, std::int64_t> silent = jobs_on_other_nodes();
    if (silent.empty()) return false;
    const std::vector<Node> nodes = session_->nodes();
    for (const Node& node : nodes) {
        if (!silent.contains(node.id)) continue;
        look_at(node);
        if (lives(node)) silent.erase(node.id);
    }
    if (silent.empty()) return false;
    waits_for_others_ = true;
    say_what_is_waited_for(silent, nodes);
    return true;
}

void UntilEmpty::look_at(const Node& node) {
    const SteadyPoint now = services_.clock.steady_now();
    const NodeFileLook look = services_.proof.look(node.registration);
    const auto [entry, is_new] = seen_.try_emplace(node.id, Seen{node.beats, look.beats});
    Seen& seen = entry->second;
    if (std::exchange(seen.beats, node.beats) != node.beats) seen.moved_at = now;
    if (std::exchange(seen.file_beats, look.beats) != look.beats) seen.file_moved_at = now;
}

/// Only what moves lives: a lock that is still held, or a row that says `live`, may be those of a
/// process that was stopped or of a machine that is gone.
bool UntilEmpty::lives(const Node& node) const {
    if (node.state != NodeState::kLive) return false;
    const auto moved_within = [now = services_.clock.steady_now()](SteadyPoint at, Duration time) {
        return at != SteadyPoint::min() && now - at <= time;
    };
    const Seen& seen = seen_.at(node.id);
    return moved_within(seen.file_moved_at, kNodeFileSilence) ||
           moved_within(seen.moved_at, kFreshBeats * node.registration.beat_interval);
}

/// Once for each set of nodes, and not before they had the time to beat.
void UntilEmpty::say_what_is_waited_for(const std::map<NodeId, std::int64_t>& silent,
                                        const std::vector<Node>& nodes) {
    std::string sentence;
    for (const Node& node : nodes) {
        const auto held = silent.find(node.id);
        if (held == silent.end() || node.state == NodeState::kLive) continue;
        sentence += (sentence.empty() ? "" : ", ") + std::to_string(held->second) + " of node " +
                    node.registration.name;
    }
    if (sentence.empty() || sentence == said_) return;
    said_ = sentence;
    services_.events.note(LogLevel::kInfo,
                          "not empty: jobs of dead nodes are still to be recovered: " + sentence);
}

}  // namespace jobhost
