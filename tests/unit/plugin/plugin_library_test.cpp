#include "host/plugin/plugin_library.h"

#include <gmock/gmock.h>

#include "tests/unit/plugin/plugin_files.h"

namespace jobhost {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// One fixture and what the operator reads about it.
struct Refusal {
    const char* fixture;
    const char* why;
};
void PrintTo(const Refusal& refusal, std::ostream* out) {
    *out << refusal.fixture;
}

class Refuses : public testing::TestWithParam<Refusal> {};

TEST_P(Refuses, WithTheFileAndTheReason) {
    const PluginFiles files;
    const auto file = files.add(GetParam().fixture);

    EXPECT_EQ(refusal(only(file)), file.string() + ": " + GetParam().why);
}

INSTANTIATE_TEST_SUITE_P(
    Plugin, Refuses,
    testing::Values(
        Refusal{"bad_no_entry",
                "it does not export jobhost_plugin_v1, so it is no jobhost plugin of ABI 1 (does "
                "it use JOBHOST_PLUGIN, in exactly one source file?)"},
        Refusal{"bad_wrong_major",
                "it was built for ABI 99.0, this host speaks 1.0 (build it against this host's "
                "SDK)"},
        Refusal{"bad_wrong_magic",
                "jobhost_plugin_v1 is not a plugin entry (its magic number is wrong)"},
        Refusal{"bad_small_struct", "its entry has struct_size 16; it must be at least 72"},
        Refusal{"bad_newer_minor",
                "it needs a host of ABI 1.99 or newer, this host speaks 1.0 (upgrade jobhost)"},
        Refusal{"short_pointers",
                "it says that it was built for 32-bit pointers; this host has 64-bit ones"},
        Refusal{"bad_null_describe", "its entry has no describe function"},
        Refusal{"no_start", "its entry has no start function"},
        Refusal{"bad_null_description", "it could not register its jobs: it did not say why"},
        Refusal{"describe_fails", "it could not register its jobs: acme::NoLicence: no licence"},
        Refusal{"bad_null_run", "job type \"plain.noop\" has no run function"},
        Refusal{"null_table", "job_type[1] is NULL"},
        Refusal{"same_type_twice",
                "job_type[1] has the name \"sound.work\", which is there already"},
        Refusal{"handler_of_nothing",
                "dead_letter_handler[0] is for the job type \"other.work\", which this plugin does "
                "not declare"},
        Refusal{"unknown_delay",
                "the job type sound.work wants the retry delay nobody.has.it, which no loaded "
                "plugin has"}),
    [](const auto& test) { return std::string(test.param.fixture); });

TEST(PluginLibraryTest, AllMistakesOfADescriptionAreReported) {
    const PluginFiles files;

    const std::string why = refusal(only(files.add("bad_policy")));

    EXPECT_THAT(why, HasSubstr("job type \"sound.work\": retry.max_attempts is -7; it must be"));
    EXPECT_THAT(why, HasSubstr("retry.initial_delay is -5 us"));
    EXPECT_THAT(why, HasSubstr("retry.multiplier is 0.5"));
}

TEST(PluginLibraryTest, ATableOfAnImpossibleSizeIsNotRead) {
    const PluginFiles files;

    EXPECT_THAT(refusal(only(files.add("small_table"))),
                HasSubstr("job_type[0] has struct_size 40; it must be at least 72"));
}

TEST(PluginLibraryTest, AListWithoutAPointerIsNotRead) {
    const PluginFiles files;

    EXPECT_THAT(refusal(only(files.add("null_list"))),
                HasSubstr("the list of job_types has 1 entries at NULL"));
}

TEST(PluginLibraryTest, NamesMustBeAcceptable) {
    const PluginFiles files;

    EXPECT_THAT(refusal(only(files.add("bad_type_name"))),
                HasSubstr("the name of job_type[0] \"two words\""));
    EXPECT_THAT(refusal(only(files.add("empty_name"))), HasSubstr("the plugin's name is empty"));
}

TEST(PluginLibraryTest, AnUndefinedSymbolIsNamed) {
    const PluginFiles files;
    const auto file = files.add("bad_unresolved_symbol");

    const std::string why = refusal(only(file));

    EXPECT_THAT(why, StartsWith(file.string() + ": it cannot be loaded: undefined symbol: "
                                                "function_that_nobody_defines (link the plugin"));
}

TEST(PluginLibraryTest, AMissingLibraryIsNamed) {
    const PluginFiles files;

    const std::string why = refusal(only(files.add("bad_missing_dependency")));

    EXPECT_THAT(why, HasSubstr("libbad_missing_library.so: cannot open shared object file"));
    EXPECT_THAT(why, HasSubstr("ldd shows all of them"));
}

TEST(PluginLibraryTest, ALargerEntryOfANewerMinorIsFine) {
    const PluginFiles files;

    EXPECT_EQ(refusal(only(files.add("newer_entry"))), "");
}

TEST(PluginLibraryTest, ALibraryStaysMappedWhenItsPluginsAreGone) {
    const PluginFiles files;
    const auto file = files.add("sound", "stays.so");
    ASSERT_TRUE(load_plugins(only(file)));  // and the result is gone again

    EXPECT_THAT(PluginFiles::read("/proc/self/maps"), HasSubstr(file.string()));
}

TEST(PluginLibraryTest, WhatThePluginSaysIsCopied) {
    const PluginFiles files;

    const auto loaded = load_plugins(only(files.add("sound")));

    ASSERT_TRUE(loaded);
    const LoadedType* type = loaded->types().find("sound.work");
    ASSERT_NE(type, nullptr);
    EXPECT_EQ(type->plugin, "sound 1.2.3");
    EXPECT_EQ(type->policy.origin, "plugin sound 1.2.3");
    EXPECT_EQ(type->policy.retry.max_attempts, 5);
    EXPECT_EQ(type->policy.retry.initial_delay, std::chrono::seconds(2));
    EXPECT_EQ(type->policy.retry.multiplier, 3.0);
    EXPECT_EQ(type->policy.retry.max_delay, std::chrono::seconds(60));
    EXPECT_EQ(type->policy.retry.retry_for, std::nullopt);
    EXPECT_EQ(type->policy.timeout, std::chrono::seconds(90));
    EXPECT_THAT(type->policy.do_not_retry, testing::ElementsAre("std::bad_name"));
    EXPECT_NE(type->handler, nullptr);
}

}  // namespace
}  // namespace jobhost
