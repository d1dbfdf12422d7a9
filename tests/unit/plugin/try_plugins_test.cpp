#include "host/plugin/try_plugins.h"

#include <fcntl.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "host/plugin/current_call.h"
#include "host/plugin/probe_child.h"
#include "tests/unit/plugin/plugin_files.h"

namespace jobhost {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr std::chrono::milliseconds kLong = std::chrono::seconds(30);

ProbedPlugin try_one(const std::filesystem::path& file, std::chrono::milliseconds limit = kLong) {
    const ProbeOptions options{.executable = PROBE_PROGRAM, .limit = limit};
    return try_plugins(std::span(&file, 1), options).at(0);
}

TEST(TryPlugins, ASoundLibraryIsDescribed) {
    const PluginFiles files;

    const ProbedPlugin probed = try_one(files.add("sound"));

    EXPECT_THAT(probed.errors, IsEmpty());
    EXPECT_EQ(probed.name, "sound");
    EXPECT_EQ(probed.version, "1.2.3");
    EXPECT_THAT(probed.types, ElementsAre("sound.work"));
}

TEST(TryPlugins, ABadDescriptionIsReportedFromTheChild) {
    const PluginFiles files;
    const auto file = files.add("bad_null_run");

    EXPECT_THAT(try_one(file).errors,
                ElementsAre(file.string() + ": job type \"plain.noop\" has no run function"));
}

TEST(TryPlugins, ACrashIsReportedWithItsSignalAndLastWords) {
    const PluginFiles files;
    const auto file = files.add("abort_at_load");

    EXPECT_THAT(try_one(file).errors,
                ElementsAre(AllOf(StartsWith(file.string() + ": "),
                                  HasSubstr("crashed with signal 6 (SIGABRT)"),
                                  HasSubstr("it said: the licence is missing"))));
}

TEST(TryPlugins, ACrashInTheDescriptionOrInAnInitialiserIsReported) {
    const PluginFiles files;

    EXPECT_THAT(try_one(files.add("bad_describe_crashes")).errors,
                ElementsAre(HasSubstr("SEGV")));  // a sanitizer makes an exit of the signal
    EXPECT_THAT(try_one(files.add("bad_static_aborts")).errors,
                ElementsAre(HasSubstr("crashed with signal 6 (SIGABRT)")));
    EXPECT_THAT(try_one(files.add("bad_static_exits")).errors,
                ElementsAre(HasSubstr("ended the process with exit status 0")));
}

TEST(TryPlugins, AnExitIsReportedWhateverTheLibraryPrints) {
    const PluginFiles files;

    EXPECT_THAT(try_one(files.add("exit_at_load")).errors,
                ElementsAre(HasSubstr("ended the process with exit status 0")));
}

TEST(TryPlugins, AStaticInitialiserThatThrowsIsReported) {
    const PluginFiles files;
    const auto file = files.add("bad_static_throws");

    EXPECT_THAT(try_one(file).errors, ElementsAre(StartsWith(file.string() + ": ")));
}

TEST(TryPlugins, AHangIsEndedAtTheLimit) {
    const PluginFiles files;

    EXPECT_THAT(try_one(files.add("bad_describe_hangs"), std::chrono::milliseconds(200)).errors,
                ElementsAre(HasSubstr("did not come back within 200 ms")));
}

TEST(TryPlugins, AProgramThatCannotBeStartedIsABreakdown) {
    const PluginFiles files;
    const std::filesystem::path file = files.add("sound");

    EXPECT_THROW(try_plugins(std::span(&file, 1), {.executable = files.path("none")}),
                 std::system_error);
}

TEST(TryPlugins, LoadingSuffersNoneOfIt) {
    const PluginFiles files;
    files.add("abort_at_load");
    files.add("exit_at_load");
    files.add("sound");
    PluginOptions options;
    options.directories = {files.folder()};
    options.probe = ProbeOptions{.executable = PROBE_PROGRAM, .limit = kLong};

    const std::string why = refusal(options);

    EXPECT_THAT(why, AllOf(HasSubstr("abort_at_load.so: "), HasSubstr("exit_at_load.so: ")));
    EXPECT_THAT(why, testing::Not(HasSubstr("sound.so")));
}

TEST(RunChild, NoDescriptorIsHandedOn) {
    const int careless = ::open("/dev/null", O_RDONLY);

    const ChildEnd end = run_child("/bin/ls", {"/proc/self/fd"}, kLong);

    EXPECT_EQ(end.exit_code, 0);
    EXPECT_EQ(end.out, "0\n1\n2\n3\n");  // 3 is the folder that ls reads
    ::close(careless);
}

TEST(ExitGuardTest, ExitInAJobNamesThePluginAndTheJobAndEndsWithStatus70) {
    const PluginFiles files;

    const ChildEnd end =
        run_child(PROBE_PROGRAM, {"exit-in-job", files.add("sound").string()}, kLong);

    EXPECT_EQ(end.exit_code, kExitByPlugin);
    EXPECT_EQ(end.errors,
              "jobhost: plugin sound 1.2.3 called exit() in run() of job 4711 (sound.work); the "
              "node ends at once, with status 70\n");
}

TEST(ExitGuardTest, TheHostItselfMayLeave) {
    const ChildEnd end = run_child(PROBE_PROGRAM, {"leave"}, kLong);

    EXPECT_EQ(end.exit_code, 5);
    EXPECT_EQ(end.errors, "");
}

}  // namespace
}  // namespace jobhost
