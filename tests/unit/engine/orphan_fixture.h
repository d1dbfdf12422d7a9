#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "host/engine/orphan_watcher.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_random.h"
#include "tests/unit/engine/store_fixture.h"

namespace jobhost {

/// What the operating system says about lock files, as staged by the test, by incarnation.
class StagedProof final : public NodeProof {
public:
    NodeFileLook look(const NodeRegistration& node) override { return looks[node.incarnation]; }
    std::optional<std::set<std::pair<JobId, std::int64_t>>> start_marks(
        const NodeRegistration& node) override {
        const auto found = marks.find(node.incarnation);
        if (found == marks.end()) return std::nullopt;
        return found->second;
    }
    void remove(const NodeRegistration& node) override { removed.push_back(node.incarnation); }

    std::map<std::string, NodeFileLook> looks;  // nothing staged: there is no file
    std::map<std::string, std::set<std::pair<JobId, std::int64_t>>> marks;
    std::vector<std::string> removed;
};

/// A node that watches, with everything it needs.
struct WatchingNode {
    WatchingNode(StoreHandle& store, const JobTypes& types, const Clock& clock, NodeProof& proof,
                 RecordingEvents& events)
        : plans(plan_of(types)),
          membership(store, registration(types), clock, events),
          watcher(
              plans, store.open_session(),
              {types, random, clock, events, membership, proof, [this](std::vector<OwedRun> runs) {
                   for (OwedRun& run : runs) owed.push_back(std::move(run));
               }}) {}

    static NodeRegistration registration(const JobTypes& types) {
        NodeRegistration node;
        node.name = "watcher";
        node.beat_interval = std::chrono::seconds(5);
        node.beat_timeout = std::chrono::seconds(30);
        for (const LoadedType& type : types.types) {
            node.types.push_back({type.name, type.handler != nullptr});
        }
        return node;
    }

    static std::shared_ptr<const Plan> plan_of(const JobTypes& types) {
        EngineSettings settings;
        settings.queues = {{"default", 1, {}}};
        return make_plan(settings, types);
    }

    FakeRandom random{0};
    std::vector<OwedRun> owed;
    CurrentPlan plans;
    Membership membership;
    OrphanWatcher watcher;
};

class OrphanWatcherTest : public testing::Test {
protected:
    OrphanWatcherTest() {
        add_type(types, "mail.send", [](RunContext&) -> RunResult { return Returned{}; });
    }

    WatchingNode& start_watching() {
        watching = std::make_unique<WatchingNode>(store.handle(), types, clock, proof, events);
        return *watching;
    }

    /// Another node, known by its incarnation.
    NodeId register_node(const std::string& incarnation,
                         Duration beat_timeout = std::chrono::seconds(30),
                         std::vector<NodeType> node_types = {{"mail.send", true}}) {
        NodeRegistration node;
        node.incarnation = incarnation;
        node.name = "node-" + incarnation;
        node.beat_interval = std::chrono::seconds(5);
        node.beat_timeout = beat_timeout;
        node.lock_file = "/staged/" + incarnation;
        node.lock_inode = 1;
        node.types = std::move(node_types);
        return store.session().register_node(node);
    }

    /// The other node claims all jobs of the type that are due.
    std::vector<ClaimedJob> claim(NodeId node, const std::string& type = "mail.send",
                                  int count = 1) {
        store.session().set_claim_plan({{"default", {{type, 10}}}});
        const std::vector<Demand> demand = {{0, count, 0}};
        return store.session().exchange(node, {}, demand).claimed;
    }

    JobId job_running_on(NodeId node, NewJob job = {.type = "mail.send"}) {
        const std::string type = job.type;
        const JobId id = store.enqueue(std::move(job));
        EXPECT_EQ(claim(node, type).size(), 1U);
        return id;
    }

    /// Time passes in small steps in which the watcher beats and looks.
    void pass(Duration time) {
        for (Duration left = time; left > std::chrono::seconds(0);) {
            const Duration step = std::min<Duration>(left, std::chrono::seconds(5));
            clock.advance(step);
            left -= step;
            watching->membership.beat();
            watching->watcher.tick();
        }
    }

    bool is_live(NodeId node) { return store.node(node).state == NodeState::kLive; }

    /// The node's lock is free and its counter stands still: proven dead at the second look.
    void kill(const std::string& incarnation) {
        proof.looks[incarnation] = {.exists = true, .locked = false, .beats = 1};
        watching->watcher.tick();
        clock.advance(std::chrono::milliseconds(500));
        watching->watcher.tick();
    }

    FakeClock clock;
    StoreOfTest store{clock};
    JobTypes types;
    RecordingEvents events;
    StagedProof proof;
    std::unique_ptr<WatchingNode> watching;
};

}  // namespace jobhost
