#include "tests/torture/fault_plan.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/torture/options.h"

namespace jobhost::torture {
namespace {

using namespace std::chrono_literals;

TEST(FaultPlan, IsAFunctionOfItsSeed) {
    EXPECT_EQ(plan_faults(7, Engine::kSqlite, 60s), plan_faults(7, Engine::kSqlite, 60s));
    EXPECT_NE(plan_faults(7, Engine::kSqlite, 60s), plan_faults(8, Engine::kSqlite, 60s));
}

TEST(FaultPlan, OfAShortRunIsTheBeginningOfThatOfALongOne) {
    const auto brief = plan_faults(7, Engine::kPostgres, 20s);
    const auto long_one = plan_faults(7, Engine::kPostgres, 60s);
    EXPECT_TRUE(std::ranges::equal(
        brief,
        std::ranges::subrange(long_one.begin(),
                              long_one.begin() + static_cast<std::ptrdiff_t>(brief.size()))));
}

TEST(FaultPlan, HasEveryKindThatTheEngineCanSufferAndNoOther) {
    for (const Engine engine : {Engine::kSqlite, Engine::kPostgres}) {
        std::set<FaultKind> planned;
        for (const Fault& fault : plan_faults(1, engine, 20s)) planned.insert(fault.kind);
        for (int kind = 0; kind < kFaultKinds; ++kind) {
            EXPECT_EQ(planned.contains(static_cast<FaultKind>(kind)),
                      applies(static_cast<FaultKind>(kind), engine))
                << name_of(static_cast<FaultKind>(kind));
        }
    }
}

TEST(FaultPlan, StopsHostsForLongerThanTheirTimeoutAndMovesClocksBothWays) {
    bool forward = false;
    bool backward = false;
    for (const Fault& fault : plan_faults(3, Engine::kSqlite, 600s)) {
        if (fault.kind == FaultKind::kStop) {
            EXPECT_GT(fault.lasts, kHeartbeatTimeout);
        }
        forward |= fault.kind == FaultKind::kClockStep && fault.amount > kHeartbeatTimeout;
        backward |= fault.kind == FaultKind::kClockStep && fault.amount < -kHeartbeatTimeout;
    }
    EXPECT_TRUE(forward);
    EXPECT_TRUE(backward);
}

TEST(TortureOptions, AreReadAndWrongOnesRefused) {
    const char* good[] = {"torture", "--engine", "postgres", "--minutes", "2", "--seed", "5"};
    const Options options = read_options(7, good);
    EXPECT_EQ(options.engine, Engine::kPostgres);
    EXPECT_EQ(options.length, 2min);
    EXPECT_EQ(options.seed, 5U);
    const char* bad[] = {"torture", "--seed", "five"};
    EXPECT_THROW(read_options(3, bad), std::invalid_argument);
    const char* unknown[] = {"torture", "--fast"};
    EXPECT_THROW(read_options(2, unknown), std::invalid_argument);
    const char* missing[] = {"torture", "--seed"};
    EXPECT_THROW(read_options(2, missing), std::invalid_argument);
}

}  // namespace
}  // namespace jobhost::torture
