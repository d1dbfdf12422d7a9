#include "host/policy_check.h"

#include <gtest/gtest.h>

#include "tests/support/scripted_types.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

EngineSettings settings() {
    EngineSettings made;
    made.queues = {{.name = "default"}, {.name = "other"}};
    made.global.origin = "the whole file";
    return made;
}

JobTypes types() {
    JobTypes made;
    add_type(made, "mail.send", [](RunContext&) { return Returned{}; });
    made.error_types = {"mail::Bounced"};
    return made;
}

TEST(PolicyCheck, FindsNothingWrongWithDefaults) {
    const PolicyFindings findings = check_policies(settings(), types());

    EXPECT_TRUE(findings.errors.empty());
    EXPECT_TRUE(findings.warnings.empty());
}

TEST(PolicyCheck, WarnsAboutATypeThatNoPluginHas) {
    EngineSettings made = settings();
    made.jobs = {{"mail.receive", {.origin = "jobs.mail.receive"}}};

    const PolicyFindings findings = check_policies(made, types());

    EXPECT_TRUE(findings.errors.empty());
    EXPECT_EQ(findings.warnings,
              (std::vector<std::string>{
                  "jobs.mail.receive: no loaded plugin has the type mail.receive"}));
}

TEST(PolicyCheck, WarnsAboutUnknownErrorNamesOnly) {
    EngineSettings made = settings();
    made.global.do_not_retry = {"std::invalid_argument", "mail::Bounced", "jobhost::TimeoutError",
                                "mail::Bunced"};
    made.global.on = {{.type = "mail::Lost"}};

    const PolicyFindings findings = check_policies(made, types());

    ASSERT_EQ(findings.warnings.size(), 2u);
    EXPECT_NE(findings.warnings[0].find("mail::Lost"), std::string::npos);
    EXPECT_NE(findings.warnings[1].find("mail::Bunced"), std::string::npos);
}

TEST(PolicyCheck, RefusesADelayFunctionThatNobodyExports) {
    EngineSettings made = settings();
    made.queues[0].policy = {.origin = "queue default", .retry = {.delay = "slowly"}};

    const PolicyFindings findings = check_policies(made, types());

    ASSERT_EQ(findings.errors.size(), 1u);
    EXPECT_NE(findings.errors[0].find("slowly"), std::string::npos);
}

TEST(PolicyCheck, AcceptsTheNameOfTheBuiltInCurve) {
    EngineSettings made = settings();
    made.global.retry.delay = "default";

    EXPECT_TRUE(check_policies(made, types()).errors.empty());
}

TEST(PolicyCheck, SaysAContradictionOnceForAllQueues) {
    EngineSettings made = settings();
    made.global.retry.multiplier = 3.0;

    const PolicyFindings findings = check_policies(made, types());

    ASSERT_EQ(findings.errors.size(), 1u);
    EXPECT_NE(findings.errors[0].find("mail.send"), std::string::npos);
}

}  // namespace
}  // namespace jobhost
