#include "host/engine/orphan_watcher.h"

#include <algorithm>
#include <set>

#include "host/engine/delay_drawer.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

constexpr int kBatch = 200;
constexpr int kMaxRounds = 50;  // in one tick; the next one goes on
constexpr auto kAdoptEvery = 1s;
constexpr auto kAskStoreEvery = 1s;  // while all is well

}  // namespace

OrphanWatcher::OrphanWatcher(const CurrentPlan& plans, std::unique_ptr<Store> session,
                             Services services)
    : plans_(plans),
      plan_(plans.get()),
      session_(std::move(session)),
      services_(std::move(services)),
      own_types_(services_.types.type_names()) {}

void OrphanWatcher::look() {
    if (!all_is_well(services_.clock.steady_now())) tick();
}

bool OrphanWatcher::all_is_well(SteadyPoint now) {
    if (now >= next_round_ || services_.membership.folder_stamp() != folder_stamp_) return false;
    return std::ranges::none_of(watched_, [&](const Watched& node) {
        const NodeFileLook look = services_.proof.look(node.registration);
        file_is_silent(node.id, look, now);
        return look.exists && !look.locked;
    });
}

void OrphanWatcher::tick() {
    plan_ = plans_.get();
    next_round_ = SteadyPoint::min();  // when this one does not come to its end
    folder_stamp_ = services_.membership.folder_stamp();
    const std::vector<Node> nodes = session_->nodes();
    const SteadyPoint now = services_.clock.steady_now();
    bool any_dead = false;
    watched_.clear();
    for (const Node& node : nodes) {
        any_dead |= node.state == NodeState::kDead;
        if (node.state != NodeState::kLive || node.id == services_.membership.node()) continue;
        watched_.push_back({node.id, node.registration});
        const auto how = found_dead(node, now);
        if (!how || !session_->declare_dead(node.id, node.beats, *how)) continue;
        any_dead = true;
        services_.events.node_declared_dead(node, *how);
    }
    std::erase_if(seen_, [&](const auto& entry) {
        return std::ranges::none_of(nodes, [&](const Node& node) {
            return node.id == entry.first && node.state == NodeState::kLive;
        });
    });
    if (any_dead) {
        const std::vector<Node> now_known = session_->nodes();
        for (int round = 0; round < kMaxRounds && take_orphans(now_known) > 0; ++round) {
        }
    }
    if (any_dead || now >= next_adoption_) {
        next_adoption_ = now + kAdoptEvery;
        take_dead_letters();
    }
    if (!any_dead) next_round_ = now + kAskStoreEvery;
}

/// True: its lock is free, and its counter has stood still since then for long enough.
bool OrphanWatcher::file_is_silent(NodeId node, const NodeFileLook& look, SteadyPoint now) {
    Seen& seen = seen_[node];
    if (!look.exists || look.locked || look.beats != seen.file_beats) {
        seen.file_beats = look.beats;
        seen.file_since = now;
        return false;
    }
    return now - seen.file_since >= kNodeFileSilence;
}

/// How the node died, as a part of a sentence; nullopt: it may live.
std::optional<std::string> OrphanWatcher::found_dead(const Node& node, SteadyPoint now) {
    const NodeFileLook look = services_.proof.look(node.registration);
    const auto [entry, is_new] = seen_.try_emplace(node.id, Seen{node.beats, now, look.beats, now});
    if (file_is_silent(node.id, look, now)) return kEndedWithoutGoodbye;
    Seen& seen = entry->second;
    if (node.beats != seen.beats || !services_.membership.beats_on_time()) {
        seen.beats = node.beats;
        seen.since = now;
    } else if (now - seen.since >= node.registration.beat_timeout) {
        return "no heartbeat for " +
               std::to_string(
                   std::chrono::duration_cast<std::chrono::seconds>(node.registration.beat_timeout)
                       .count()) +
               " s";
    }
    return std::nullopt;
}

/// How many it moved.
int OrphanWatcher::take_orphans(const std::vector<Node>& nodes) {
    OrphanReporter* reporter = session_->orphan_reporter();
    if (reporter == nullptr) return session_->recover_orphans(own_types_, kBatch);
    // What is left to others stays in the list, and must not hide the rest.
    const auto orphans = reporter->list_orphans(own_types_, kBatch + left_to_others_);
    left_to_others_ = 0;
    std::vector<RunReport> reports;
    std::vector<const Orphan*> taken;
    std::vector<std::string> details;
    for (const Orphan& orphan : orphans) {
        auto [report, detail] = resolve(orphan, nodes);
        if (std::holds_alternative<Fail>(report.next) && leave_to_other(orphan, nodes)) {
            ++left_to_others_;
            continue;
        }
        reports.push_back(std::move(report));
        taken.push_back(&orphan);
        details.push_back(std::move(detail));
    }
    if (!reports.empty()) {
        std::vector<OwedRun> owed;
        auto answers = reporter->resolve_orphans(services_.membership.node(), reports);
        for (std::size_t i = 0; i < answers.size(); ++i) {
            if (answers[i].outcome != WriteAnswer::Outcome::kStored) continue;
            say(*taken[i], reports[i], details[i]);
            std::ranges::move(answers[i].owed, std::back_inserter(owed));
        }
        if (!owed.empty()) services_.owed(std::move(owed));
    }
    // Files of dead nodes prove something only as long as there are jobs to judge by them.
    for (const Node& node : nodes) {
        if (orphans.empty() && node.state == NodeState::kDead && node.processing == 0) {
            services_.proof.remove(node.registration);
        }
    }
    return static_cast<int>(reports.size());
}

OrphanWatcher::Resolved OrphanWatcher::resolve(const Orphan& orphan,
                                               const std::vector<Node>& nodes) {
    const auto node = std::ranges::find(nodes, orphan.lease.node, &Node::id);
    bool started = true;
    if (node != nodes.end()) {
        const auto marks = services_.proof.start_marks(node->registration);
        started = !marks || marks->contains({orphan.lease.job, orphan.lease.fence});
    }
    const LoadedType* type = services_.types.find(orphan.type);
    const TypePlan plan = type_plan(plan_->settings, services_.types, orphan.queue, *type);
    const RunRef ref{orphan.lease.job, orphan.type, orphan.queue, orphan.attempts,
                     orphan.lease.fence};
    DelayDrawer delays(services_.types, services_.random, services_.clock, services_.events, ref,
                       orphan.max_attempts);
    const RunFacts facts{.id = orphan.lease.job,
                         .type = orphan.type,
                         .attempt = orphan.attempts,
                         .max_attempts = orphan.max_attempts,
                         .orphanings = orphan.orphanings,
                         .first_started_at = orphan.first_started_at,
                         .dead_letters = plan.dead_letters};
    Decision decision = decide_orphan(facts, orphan.node_name, orphan.death, started, plan.rules,
                                      services_.clock.now(), delays);
    RunReport report;
    report.lease = orphan.lease;
    if (started) report.started_at = orphan.started_at;
    report.next = std::move(decision.next);
    return {std::move(report), std::move(decision.detail)};
}

/// This node's plugin version has no handler for the type, but a live node's has: that one's call.
bool OrphanWatcher::leave_to_other(const Orphan& orphan, const std::vector<Node>& nodes) const {
    if (services_.types.find(orphan.type)->handler) return false;
    return std::ranges::any_of(nodes, [&](const Node& node) {
        return node.state == NodeState::kLive &&
               std::ranges::any_of(node.registration.types, [&](const NodeType& type) {
                   return type.name == orphan.type && type.has_handler;
               });
    });
}

void OrphanWatcher::say(const Orphan& orphan, const RunReport& report, const std::string& detail) {
    if (const auto* fail = std::get_if<Fail>(&report.next)) {
        services_.events.orphan_failed(orphan, fail->reason, detail);
    } else if (const auto* retry = std::get_if<Retry>(&report.next)) {
        services_.events.orphan_requeued(orphan, retry->delay, true);
    } else {
        services_.events.orphan_requeued(orphan, Duration(0), false);
    }
}

void OrphanWatcher::take_dead_letters() {
    for (const LeftRun& left : session_->close_dead_letters(own_types_, plan_->at_least_once)) {
        services_.events.dead_letter_left(left.run, left.runs_again);
    }
    auto adopted = session_->adopt_dead_letters(services_.membership.node(), own_types_, kBatch);
    if (!adopted.empty()) services_.owed(std::move(adopted));
}

}  // namespace jobhost
