#include "host/plugin/plugin_set.h"

#include <dlfcn.h>

#include <gmock/gmock.h>

#include "host/plugin/file_trust.h"
#include "tests/unit/plugin/plugin_files.h"

namespace jobhost {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

PluginOptions folder_of(const PluginFiles& files) {
    PluginOptions options;
    options.directories = {files.folder()};
    options.probe.reset();
    return options;
}

/// Options whose log lines end up in `lines`, as `PLUGIN: TEXT`.
void record_log(PluginOptions& options, std::vector<std::string>& lines) {
    options.services.log = [&lines](LogLevel, std::string_view plugin, std::string_view text) {
        lines.push_back(std::string(plugin) + ": " + std::string(text));
    };
}

TEST(PluginSet, EveryLibraryOfAFolderIsLoadedInTheOrderOfTheNames) {
    const PluginFiles files;
    files.add("sound", "b.so");
    files.add("other", "a.so");
    files.write("README.txt", "not a plugin");

    const auto loaded = load_plugins(folder_of(files));

    ASSERT_TRUE(loaded) << loaded.error().front();
    EXPECT_THAT(loaded->types().plugins, ElementsAre("other 1.2.3", "sound 1.2.3"));
    EXPECT_THAT(loaded->types().type_names(),
                testing::UnorderedElementsAre("other.work", "sound.work"));
}

TEST(PluginSet, ATypeThatTwoPluginsDeclareNamesBothFiles) {
    const PluginFiles files;
    files.add("sound", "a.so");
    files.add("same_type", "b.so");

    EXPECT_EQ(refusal(folder_of(files)), files.path("b.so").string() +
                                             ": the job type sound.work is already taken by " +
                                             files.path("a.so").string());
}

TEST(PluginSet, TheRefusalsOfTheSdkArrive) {
    const PluginFiles files;

    EXPECT_THAT(
        refusal(only(files.add("bad_registration"))),
        AllOf(HasSubstr("it could not register its jobs: "), HasSubstr("registration.noop")));

    auto loaded = load_plugins(only(files.add("bad_start_throws")));
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->start(), files.path("bad_start_throws.so").string() +
                                   ": it could not start: std::runtime_error: the start hook "
                                   "refuses to start");
}

TEST(PluginSet, TwoPluginsOfOneNameAreRefused) {
    const PluginFiles files;
    files.add("sound", "a.so");
    files.add("same_name", "b.so");

    EXPECT_THAT(refusal(folder_of(files)), HasSubstr("the plugin name sound is already taken by"));
}

TEST(PluginSet, AllErrorsOfAllPluginsAreReported) {
    const PluginFiles files;
    files.write("a.so", "text");
    files.add("bad_wrong_major", "b.so");
    files.add("bad_null_run", "c.so");
    PluginOptions options = folder_of(files);
    options.load.push_back({.path = files.path("nowhere.so")});
    options.directories.push_back(files.path("no_folder"));

    EXPECT_THAT(refusal(options),
                AllOf(HasSubstr("a.so: it is not a shared library"),
                      HasSubstr("b.so: it was built for ABI 99.0"), HasSubstr("c.so: job type"),
                      HasSubstr("nowhere.so: the file cannot be found: No such file"),
                      HasSubstr("no_folder: the plugin folder cannot be read")));
}

TEST(PluginSet, ABrokenSymbolicLinkIsNamed) {
    const PluginFiles files;
    std::filesystem::create_symlink("gone.so.1", files.path("link.so"));

    EXPECT_THAT(refusal(folder_of(files)),
                HasSubstr("link.so: the symbolic link leads to gone.so.1, which cannot be found"));
}

TEST(PluginSet, AFolderNamedLikeALibraryIsRefused) {
    const PluginFiles files;
    std::filesystem::create_directory(files.path("x.so"));

    EXPECT_THAT(refusal(folder_of(files)), HasSubstr("x.so: it is a folder"));
}

TEST(PluginSet, AFileThatOthersMayWriteIsRefusedUnlessInsecureIsAllowed) {
    const PluginFiles files;
    const auto file = files.add("sound");
    PluginFiles::set_mode(file, 0666);
    PluginOptions options = only(file);

    EXPECT_THAT(refusal(options), HasSubstr("the file is writable by everybody (mode 0666)"));

    options.allow_insecure = true;
    const auto loaded = load_plugins(options);
    ASSERT_TRUE(loaded);
    EXPECT_THAT(loaded->warnings(), ElementsAre(AllOf(HasSubstr("INSECURE"), HasSubstr("0666"))));
}

TEST(PluginSet, TheTargetOfALinkIsWhatMustBeTrusted) {
    const PluginFiles files;
    const PluginFiles open;
    const auto real = open.add("sound");
    PluginFiles::set_mode(open.folder(), 0777);
    std::filesystem::create_symlink(real, files.path("link.so"));

    EXPECT_THAT(refusal(only(files.path("link.so"))),
                HasSubstr(open.folder().string() + ": the folder is writable by everybody"));
}

TEST(PluginSet, APinnedHashMustFit) {
    const PluginFiles files;
    PluginOptions options = only(files.add("sound"));
    options.load[0].sha256 = std::string(64, '0');

    const std::string why = refusal(options);
    EXPECT_THAT(why, AllOf(HasSubstr("its sha256 is "), HasSubstr("pins 0000")));

    const auto at = why.find("its sha256 is ") + 14;
    options.load[0].sha256 = why.substr(at, 64);
    EXPECT_EQ(refusal(options), "");

    options.load[0].sha256 = "abc";
    options.allow_insecure = true;
    EXPECT_THAT(refusal(options), HasSubstr("is not 64 hex digits"));
}

TEST(PluginSet, AFileOfAFolderThatIsAlsoNamedIsLoadedOnceAsNamed) {
    const PluginFiles files;
    files.add("sound");
    std::vector<std::string> lines;
    PluginOptions options = folder_of(files);
    options.load.push_back({.path = files.path("./sound.so"), .settings_json = "{\"url\":\"x\"}"});
    record_log(options, lines);

    auto loaded = load_plugins(options);

    ASSERT_TRUE(loaded) << loaded.error().front();
    EXPECT_THAT(loaded->types().plugins, ElementsAre("sound 1.2.3"));
    EXPECT_EQ(loaded->start(), std::nullopt);
    EXPECT_THAT(lines, ElementsAre("sound 1.2.3: {\"url\":\"x\"}"));
}

TEST(PluginSet, NamingAFileTwiceIsRefused) {
    const PluginFiles files;
    PluginOptions options = only(files.add("sound"));
    std::filesystem::create_symlink("sound.so", files.path("again.so"));
    options.load.push_back({.path = files.path("again.so")});

    EXPECT_THAT(refusal(options),
                AllOf(HasSubstr("again.so: the plugin is named twice under plugins.load"),
                      HasSubstr("the other time as " + files.path("sound.so").string())));
}

TEST(PluginSet, SettingsMustBeAnObject) {
    const PluginFiles files;
    PluginOptions options = only(files.add("sound"));
    options.load[0].settings_json = "[1]";

    EXPECT_THAT(refusal(options), HasSubstr("its settings are not one JSON object"));
}

TEST(PluginSet, StartIsInOrderAndStopInReverse) {
    const PluginFiles files;
    files.add("other", "a.so");
    files.add("sound", "b.so");
    std::vector<std::string> lines;
    PluginOptions options = folder_of(files);
    record_log(options, lines);
    auto loaded = load_plugins(options);
    ASSERT_TRUE(loaded);

    EXPECT_EQ(loaded->start(), std::nullopt);
    loaded->stop();
    loaded->stop();

    EXPECT_THAT(lines, ElementsAre("other 1.2.3: {}", "sound 1.2.3: {}", "sound 1.2.3: sound",
                                   "other 1.2.3: other"));
}

TEST(PluginSet, AStartThatFailsNamesTheFileAndStopsTheOthers) {
    const PluginFiles files;
    files.add("sound", "a.so");
    files.add("start_fails", "b.so");
    std::vector<std::string> lines;
    PluginOptions options = folder_of(files);
    record_log(options, lines);
    auto loaded = load_plugins(options);
    ASSERT_TRUE(loaded);

    EXPECT_EQ(loaded->start(),
              files.path("b.so").string() +
                  ": it could not start: acme::NoSettings: settings.url is missing");
    EXPECT_THAT(lines,
                ElementsAre("sound 1.2.3: {}", "start_fails 1.2.3: {}", "sound 1.2.3: sound"));
}

TEST(PluginSet, CallsAfterTheStopAreHarmless) {
    const PluginFiles files;
    const auto file = files.add("sound");
    std::vector<std::string> lines;
    int stored = 0;
    PluginOptions options = only(file);
    record_log(options, lines);
    options.services.enqueue = [&stored](NewJob job) {
        EXPECT_EQ(job.source, "plugin:sound 1.2.3");
        ++stored;
        return Asked{};
    };
    auto loaded = load_plugins(options);
    ASSERT_TRUE(loaded);
    ASSERT_EQ(loaded->start(), std::nullopt);
    void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD);
    ASSERT_NE(library, nullptr);
    const auto late_call = reinterpret_cast<jobhost_status (*)()>(::dlsym(library, "late_call"));

    EXPECT_EQ(late_call(), JOBHOST_OK);
    loaded->stop();
    lines.clear();

    EXPECT_EQ(late_call(), JOBHOST_UNAVAILABLE);
    EXPECT_EQ(stored, 1);
    EXPECT_THAT(lines, testing::IsEmpty());
    ::dlclose(library);
}

}  // namespace
}  // namespace jobhost
