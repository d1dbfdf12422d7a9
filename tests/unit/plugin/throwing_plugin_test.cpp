// A real C++ plugin on the SDK, through the whole border.
#include <gmock/gmock.h>

#include "tests/unit/plugin/fake_contexts.h"
#include "tests/unit/plugin/plugin_files.h"

namespace jobhost {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class ThrowingPlugin : public testing::Test {
protected:
    ThrowingPlugin() : loaded_(load_plugins(only(files_.add("throws_everything")))) {}

    ThrownError thrown_by(const std::string& way) {
        FakeRunContext context;
        context.claimed.input = "\"" + way + "\"";
        const RunResult result = type().run->run(context);
        const auto* threw = std::get_if<Threw>(&result);
        return threw == nullptr ? ThrownError{} : threw->why;
    }
    const LoadedType& type() { return *loaded_->types().find("throws.it"); }

    const PluginFiles files_ = {};
    tl::expected<LoadedPlugins, std::vector<std::string>> loaded_;
};

TEST_F(ThrowingPlugin, ADerivedErrorBringsItsBasesAndThePlaceOfTheThrow) {
    ASSERT_TRUE(loaded_) << loaded_.error().front();

    const ThrownError error = thrown_by("derived");

    EXPECT_THAT(error.error.types, ElementsAre("acme::CardDeclined", "acme::PaymentError",
                                               "std::runtime_error", "std::exception"));
    EXPECT_EQ(error.error.message, "card 42 was declined");
    EXPECT_THAT(error.error.stack_trace, testing::StartsWith("#0 acme::charge_card() at "));
    EXPECT_THAT(error.error.stack_trace, HasSubstr("throws_everything.cpp:"));
    EXPECT_THAT(error.error.stack_trace, HasSubstr("acme::Thrower::execute"));
    EXPECT_THAT(error.error.stack_trace, Not(HasSubstr("PluginJobType")));
    EXPECT_THAT(error.error.stack_trace, Not(HasSubstr("jobhost/detail")));
}

TEST_F(ThrowingPlugin, ANestedErrorBringsItsCause) {
    const ThrownError error = thrown_by("nested");

    EXPECT_EQ(error.error.type, "std::logic_error");
    EXPECT_THAT(error.error.message,
                HasSubstr("; caused by acme::CardDeclined: card 42 was declined"));
    ASSERT_EQ(error.causes.size(), 1U);
    EXPECT_EQ(error.causes[0].front(), "acme::CardDeclined");
}

TEST_F(ThrowingPlugin, WhatIsNoExceptionHasATypeToo) {
    EXPECT_EQ(thrown_by("int").error.type, "int");
    EXPECT_THAT(thrown_by("text").error.message, HasSubstr("just text"));
    EXPECT_EQ(thrown_by("struct").error.type, "acme::NotAnException");
    EXPECT_THAT(thrown_by("string").error.type, HasSubstr("string"));
    EXPECT_NE(thrown_by("null").error.type, "");
}

TEST_F(ThrowingPlugin, ErrorsOfTheLibraryArriveWhole) {
    EXPECT_EQ(thrown_by("bad_alloc").error.type, "std::bad_alloc");
    EXPECT_THAT(thrown_by("system").error.message, HasSubstr("open the ledger"));
    EXPECT_EQ(thrown_by("no such way").error.type, "std::out_of_range");
    EXPECT_EQ(thrown_by("empty_text").error.type, "std::runtime_error");
    EXPECT_LE(thrown_by("huge").error.message.size(), std::size_t{16} * 1024);
    EXPECT_NE(thrown_by("odd_bytes").error.type, "");
}

TEST_F(ThrowingPlugin, TheRegistrationSaysWhatIsNeverRetried) {
    EXPECT_THAT(type().policy.do_not_retry, ElementsAre("acme::PaymentError"));
    EXPECT_THAT(loaded_->types().error_types, testing::Contains("std::runtime_error"));
}

TEST_F(ThrowingPlugin, AStormOfFailuresStaysCheap) {
    const auto begin = std::chrono::steady_clock::now();
    constexpr int kFailures = 2000;

    for (int i = 0; i < kFailures; ++i) ASSERT_EQ(thrown_by("int").error.type, "int");

    const auto each = (std::chrono::steady_clock::now() - begin) / kFailures;
    RecordProperty("microseconds_each",
                   static_cast<int>(std::chrono::duration_cast<Duration>(each).count()));
    EXPECT_LT(each, std::chrono::milliseconds(5));  // looking up each frame anew takes longer
}

}  // namespace
}  // namespace jobhost
