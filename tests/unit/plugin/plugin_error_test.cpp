#include "host/plugin/plugin_error.h"

#include <array>
#include <string>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>

#include "tests/unit/plugin/hand_made.h"

namespace jobhost {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;

TEST(PluginError, TakesOverTypeBasesMessageAndStack) {
    const std::array bases = {c_text("std::runtime_error"), c_text("std::exception")};
    jobhost_error reported = c_error("acme::CardDeclined", "card 42");
    reported.bases = bases.data();
    reported.n_bases = bases.size();
    reported.stack = c_text("#0 charge");

    const ThrownError error = thrown_error(reported);

    EXPECT_EQ(error.error.type, "acme::CardDeclined");
    EXPECT_THAT(error.error.types,
                ElementsAre("acme::CardDeclined", "std::runtime_error", "std::exception"));
    EXPECT_EQ(error.error.message, "card 42");
    EXPECT_EQ(error.error.stack_trace, "#0 charge");
    EXPECT_EQ(error.retry_after, std::nullopt);
}

TEST(PluginError, TellsTheChainOfCauses) {
    const jobhost_error root = c_error("std::out_of_range", "no row 7");
    const jobhost_error* const root_list[] = {&root};
    jobhost_error middle = c_error("acme::StoreError", "cannot read");
    middle.causes = root_list;
    middle.n_causes = 1;
    const jobhost_error* const middle_list[] = {&middle};
    jobhost_error reported = c_error("std::logic_error", "cannot close the order");
    reported.causes = middle_list;
    reported.n_causes = 1;

    const ThrownError error = thrown_error(reported);

    EXPECT_EQ(error.error.message,
              "cannot close the order; caused by acme::StoreError: cannot read; caused by "
              "std::out_of_range: no row 7");
    EXPECT_THAT(error.causes,
                ElementsAre(ElementsAre("acme::StoreError"), ElementsAre("std::out_of_range")));
}

TEST(PluginError, FollowsARingOfCausesOnlyEightLevels) {
    jobhost_error reported = c_error("acme::Ring", "round");
    const jobhost_error* const itself[] = {&reported};
    reported.causes = itself;
    reported.n_causes = 1;

    EXPECT_THAT(thrown_error(reported).causes, SizeIs(8));
}

TEST(PluginError, LooksIntoAnAggregateOfOneButNotOfSeveral) {
    const jobhost_error first = c_error("acme::First", "one");
    const jobhost_error second = c_error("acme::Second", "two");
    const jobhost_error* const both[] = {&first, &second};
    jobhost_error reported = c_error("jobhost::AggregateError", "errors");
    reported.flags = JOBHOST_ERROR_AGGREGATE;
    reported.causes = both;

    reported.n_causes = 1;
    EXPECT_THAT(thrown_error(reported).causes, ElementsAre(ElementsAre("acme::First")));

    reported.n_causes = 2;
    const ThrownError several = thrown_error(reported);
    EXPECT_THAT(several.causes, SizeIs(0));
    EXPECT_EQ(several.error.message,
              "errors; among them acme::First: one; among them acme::Second: two");
}

TEST(PluginError, KnowsWhenTheErrorNamesItsDelay) {
    jobhost_error reported = c_error("jobhost::RetryAfter", "429");
    reported.flags = JOBHOST_ERROR_RETRY_AFTER;
    reported.retry_after_us = 30'000'000;

    EXPECT_EQ(thrown_error(reported).retry_after, std::chrono::seconds(30));

    reported.retry_after_us = -1;
    EXPECT_EQ(thrown_error(reported).retry_after, std::nullopt);
}

TEST(PluginError, AnErrorOfAnImpossibleSizeIsNotRead) {
    jobhost_error reported = c_error("acme::E", "x");
    reported.struct_size = 40;

    const ThrownError error = thrown_error(reported);

    EXPECT_EQ(error.error.type, kPluginContractError);
    EXPECT_THAT(error.error.message, HasSubstr("struct_size 40"));
}

TEST(PluginError, WhatANewerMinorAppendedIsIgnored) {
    struct Newer {
        jobhost_error known;
        std::uint64_t appended;
    } newer = {c_error("acme::E", "x"), 77};
    newer.known.struct_size = sizeof newer;

    EXPECT_EQ(thrown_error(newer.known).error.type, "acme::E");
}

TEST(PluginError, WhatAnOlderMinorDidNotKnowIsZero) {
    // As if `attempt` and what follows had been appended in a later minor.
    jobhost_error older = c_error("acme::E", "x");
    older.struct_size = offsetof(jobhost_error, attempt);
    older.attempt = 99;

    EXPECT_EQ(read_struct(older).attempt, 0);
    EXPECT_EQ(view_of(read_struct(older).type), "acme::E");
}

TEST(PluginError, AnErrorWithoutATypeBreaksTheRules) {
    const ThrownError error = thrown_error(c_error("", "something"));

    EXPECT_EQ(error.error.type, kPluginContractError);
    EXPECT_THAT(error.error.message, EndsWith("something"));
}

TEST(PluginError, TextsThatAreNullButHaveALengthAreNotRead) {
    jobhost_error reported = c_error("acme::E", "x");
    reported.message = {nullptr, 10};

    EXPECT_EQ(thrown_error(reported).error.type, kPluginContractError);
}

TEST(PluginError, OverlongTextsAreCutBetweenCharacters) {
    std::string message(std::size_t{16} * 1024 - 8, 'x');
    for (int i = 0; i < 100; ++i) message += "\xC3\xA4";
    const jobhost_error reported = c_error("acme::E", message);

    const ThrownError error = thrown_error(reported);

    EXPECT_LE(error.error.message.size(), std::size_t{16} * 1024);
    EXPECT_THAT(error.error.message, EndsWith(" [cut]"));
    EXPECT_THAT(error.error.message, testing::Not(HasSubstr("\xC3 [cut]")));
}

TEST(PluginError, FramesBecomeLinesWhenThereIsNoStackText) {
    const std::uint64_t frames[] = {reinterpret_cast<std::uintptr_t>(&::getpid), 1};
    jobhost_error reported = c_error("acme::E", "x");
    reported.frames = frames;
    reported.n_frames = 2;

    EXPECT_THAT(thrown_error(reported).error.stack_trace,
                testing::MatchesRegex("#0 .*getpid.*\n#1 \\?\\?"));
}

TEST(PluginError, BrokenCausesDoNotHideTheError) {
    jobhost_error broken = c_error("acme::Cause", "x");
    broken.struct_size = 1;
    const jobhost_error* const list[] = {nullptr, &broken};
    jobhost_error reported = c_error("acme::E", "still here");
    reported.causes = list;
    reported.n_causes = 2;

    EXPECT_EQ(thrown_error(reported).error.message, "still here");
}

}  // namespace
}  // namespace jobhost
