#include "host/explanation.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/scripted_types.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::json;

class ExplanationTest : public testing::Test {
protected:
    ExplanationTest() {
        settings.queues = {{"default", 1, {}}, {"slow", 1, {}}};
        settings.queues[1].policy = {.origin = "queue slow", .timeout = 10min};
        PolicyLevel plugin;
        plugin.retry.max_attempts = 3;
        add_type(
            types, "pay", [](RunContext&) -> RunResult { return Returned{}; }, plugin);
    }

    Json document(const std::string& type, const std::optional<std::string>& queue = {}) {
        const auto explained = explain_type(settings, types, type, queue);
        return explained ? Json::parse(explained->document) : Json(explained.error());
    }

    EngineSettings settings;
    JobTypes types;
};

TEST_F(ExplanationTest, NamesEachValueAndWhoSetIt) {
    settings.global = {.origin = "top level, j.yaml:4", .timeout = 1h};

    const Json policy = document("pay").at("policy");

    EXPECT_EQ(policy.at("max_attempts"), Json({{"value", 3}, {"origin", "plugin scripted 1.0"}}));
    EXPECT_EQ(policy.at("timeout"), Json({{"value", 3600}, {"origin", "top level, j.yaml:4"}}));
    EXPECT_EQ(policy.at("retry_for"), Json({{"value", nullptr}, {"origin", "built-in"}}));
}

TEST_F(ExplanationTest, IsThatOfTheQueueThatIsAskedFor) {
    EXPECT_EQ(document("pay", "slow").at("policy").at("timeout").at("value"), 600);
    EXPECT_EQ(document("pay").at("queue"), "default");
    EXPECT_EQ(document("pay", "other"), Json("the configuration has no queue other"));
}

TEST_F(ExplanationTest, HasATimetableWithOneRowForEachRetry) {
    settings.global.retry.initial_delay = Duration(10s);
    settings.global.retry.multiplier = 3.0;

    const Json table = document("pay").at("timetable");

    ASSERT_EQ(table.size(), 2U);
    EXPECT_EQ(table[0], Json({{"attempt", 2},
                              {"delay_min", 9},
                              {"delay_max", 11},
                              {"elapsed_min", 9},
                              {"elapsed_max", 11}}));
    EXPECT_EQ(table[1].at("delay_max"), 33);
    EXPECT_EQ(table[1].at("elapsed_max"), 44);
}

TEST_F(ExplanationTest, ShowsWhatHoldsForAnErrorTypeAsAWhole) {
    settings.global.retry.initial_delay = Duration(10s);
    settings.jobs = {{"pay", {}}};
    settings.jobs[0].second.origin = "jobs.pay";
    settings.jobs[0].second.on = {{"HttpError", {.max_attempts = 20}}};

    const Json on = document("pay").at("policy").at("on").at(0);

    EXPECT_EQ(on.at("error"), "HttpError");
    EXPECT_EQ(on.at("max_attempts"), 20);
    EXPECT_EQ(on.at("curve"), "exponential");
    EXPECT_EQ(on.at("initial_delay"), 10);
    EXPECT_EQ(on.at("origin"), "jobs.pay on HttpError");
}

TEST_F(ExplanationTest, SaysWhereTheLevelsContradictEachOther) {
    settings.jobs = {{"pay", {}}};
    settings.jobs[0].second.retry.multiplier = 3.0;
    EXPECT_TRUE(document("pay").at("contradiction").is_string());
    settings.jobs.clear();
    EXPECT_TRUE(document("pay").at("contradiction").is_null());
}

TEST_F(ExplanationTest, IsGivenForATypeThatOnlyTheConfigurationNames) {
    settings.jobs = {{"mail", {}}};
    EXPECT_TRUE(document("mail").at("plugin").is_null());
    EXPECT_EQ(document("fax"),
              Json("no plugin has the type fax, and the configuration does not name it"));
}

}  // namespace
}  // namespace jobhost
