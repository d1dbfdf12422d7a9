#include "host/api/overview.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace jobhost::api {
namespace {

using namespace std::chrono_literals;

const TimePoint kNow = TimePoint(1000h);

Node node(std::vector<std::string> types, std::vector<std::string> queues) {
    Node node{.id = 1, .beat_at = kNow};
    node.registration.name = "n";
    node.registration.beat_interval = 5s;
    node.registration.queues = std::move(queues);
    for (std::string& type : types) node.registration.types.push_back({.name = std::move(type)});
    return node;
}

std::vector<std::string> codes(const OverviewFacts& facts) {
    std::vector<std::string> all;
    for (const Warning& warning : warnings(facts)) all.push_back(warning.code);
    return all;
}

TEST(OverviewWarnings, JobsThatNoLiveNodeCanRun) {
    OverviewFacts facts{.now = kNow};
    facts.counts = {{.queue = "q", .type = "t", .waiting = 3}};
    EXPECT_EQ(warnings(facts).at(0).text,
              "3 jobs of type t in queue q can run nowhere: no live node has loaded the type");

    facts.nodes = {node({"t"}, {"other"})};
    EXPECT_EQ(warnings(facts).at(0).text,
              "3 jobs of type t in queue q can run nowhere: no live node with the type works on "
              "the queue");

    facts.nodes = {node({"t"}, {"q"})};
    EXPECT_TRUE(warnings(facts).empty());

    facts.nodes[0].state = NodeState::kDead;
    EXPECT_EQ(codes(facts), std::vector<std::string>{"no_live_node_for_type"});
}

TEST(OverviewWarnings, NoneForJobsThatHaveEnded) {
    OverviewFacts facts{.now = kNow};
    facts.counts = {{.queue = "q", .type = "t", .succeeded = 3, .failed = 1}};
    EXPECT_TRUE(warnings(facts).empty());
}

TEST(OverviewWarnings, PausesWithWhatWaitsBehindThem) {
    OverviewFacts facts{.now = kNow};
    facts.nodes = {node({"t"}, {"q"})};
    facts.counts = {{.queue = "q", .type = "t", .waiting = 1}};
    facts.pauses = {{.kind = Pause::Kind::kQueue, .name = "q", .service = "s", .by = "ann"}};
    EXPECT_EQ(warnings(facts).at(0).text,
              "queue q is paused for service s by ann: 1 job waits behind it");
}

TEST(OverviewWarnings, ANodeThatMissedThreeBeats) {
    OverviewFacts facts{.now = kNow};
    facts.nodes = {node({}, {})};
    facts.nodes[0].beat_at = kNow - 14s;
    EXPECT_TRUE(warnings(facts).empty());
    facts.nodes[0].beat_at = kNow - 15s;
    EXPECT_EQ(warnings(facts).at(0).text, "node 1 (n) has not beaten for 15 s");
}

TEST(OverviewWarnings, AreNeverTooMany) {
    OverviewFacts facts{.now = kNow};
    for (int i = 0; i < 60; ++i) {
        facts.counts.push_back({.queue = "q", .type = "t" + std::to_string(i), .waiting = 1});
    }
    ASSERT_EQ(warnings(facts).size(), 51U);
    EXPECT_EQ(warnings(facts).back().text, "and 10 warnings more");
}

TEST(Overview, IsOneLineWithTheHourSummedOverTheQueues) {
    OverviewFacts facts{.now = kNow};
    facts.minutes = {{.minute = kNow - 1min, .queue = "a", .enqueued = 1, .failed = 2},
                     {.minute = kNow - 1min, .queue = "b", .enqueued = 4}};
    facts.due = {{.queue = "a", .type = "t", .due = 7, .oldest_run_at = kNow - 90s}};
    const std::string text = overview_json(facts, {.service = "s", .node = "n"});

    EXPECT_EQ(text.find('\n'), std::string::npos);
    const auto json = nlohmann::json::parse(text);
    EXPECT_EQ(json["minutes"].size(), 1U);
    EXPECT_EQ(json["minutes"][0]["enqueued"], 5);
    EXPECT_EQ(json["last_hour"]["failed"], 2);
    EXPECT_EQ(json["queues"][0]["due"], 7);
    EXPECT_EQ(json["queues"][0]["oldest_due"], 90);
    EXPECT_EQ(json["store"]["ok"], true);
}

TEST(Overview, SaysThatTheStoreIsAway) {
    const auto json =
        nlohmann::json::parse(overview_json({.now = kNow}, {.store_error = "it is gone"}));
    EXPECT_EQ(json["store"]["ok"], false);
    EXPECT_EQ(json["store"]["text"], "it is gone");
}

}  // namespace
}  // namespace jobhost::api
