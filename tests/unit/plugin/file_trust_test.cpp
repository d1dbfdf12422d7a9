#include "host/plugin/file_trust.h"

#include <fcntl.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "host/plugin/sha256.h"
#include "tests/unit/plugin/plugin_files.h"

namespace jobhost {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string sha256(const std::string& text, std::size_t step) {
    Sha256 hash;
    for (std::size_t at = 0; at < text.size(); at += step) {
        const std::string part = text.substr(at, step);
        hash.add(part.data(), part.size());
    }
    return hash.finish();
}

TEST(Sha256Test, GivesTheVectorsOfTheStandard) {
    EXPECT_EQ(sha256("", 1), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256("abc", 3), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256(std::string(1'000'000, 'a'), 997),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, DoesNotDependOnHowTheBytesArrive) {
    const std::string text(1000, 'x');

    EXPECT_EQ(sha256(text, 1), sha256(text, 1000));
    EXPECT_EQ(sha256(text, 63), sha256(text, 65));
}

TEST(FileTrust, AFileThatOnlyItsOwnerWritesIsTrusted) {
    const PluginFiles files;

    EXPECT_THAT(distrust_reasons(files.write("a.so", "x")), IsEmpty());
}

TEST(FileTrust, AFileThatItsGroupMayWriteIsNot) {
    const PluginFiles files;
    const auto file = files.write("a.so", "x");
    PluginFiles::set_mode(file, 0664);

    EXPECT_THAT(distrust_reasons(file),
                ElementsAre(file.string() +
                            ": the file is writable by its group (mode 0664); use chmod g-w"));
}

TEST(FileTrust, AFileThatEverybodyMayWriteIsNot) {
    const PluginFiles files;
    const auto file = files.write("a.so", "x");
    PluginFiles::set_mode(file, 0646);

    EXPECT_THAT(distrust_reasons(file), ElementsAre(HasSubstr("is writable by everybody")));
}

TEST(FileTrust, AFolderThatEverybodyMayWriteIsNot) {
    const PluginFiles files;
    const auto file = files.write("a.so", "x");
    PluginFiles::set_mode(files.folder(), 01777);  // sticky does not help in the file's own folder

    EXPECT_THAT(distrust_reasons(file),
                ElementsAre(AllOf(HasSubstr("the folder is writable by everybody (mode 1777)"),
                                  HasSubstr(files.folder().string() + ": "))));
}

TEST(FileTrust, AFolderAboveMayBeOpenToAllOnlyWithTheStickyBit) {
    const PluginFiles files;
    std::filesystem::create_directories(files.path("open/own"));
    const auto file = files.write("open/own/a.so", "x");

    PluginFiles::set_mode(files.path("open"), 0777);
    EXPECT_THAT(distrust_reasons(file), ElementsAre(HasSubstr("open: the folder is writable")));

    PluginFiles::set_mode(files.path("open"), 01777);
    EXPECT_THAT(distrust_reasons(file), IsEmpty());
}

TEST(FileTrust, AFileOfSomebodyElseIsNot) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
    const PluginFiles files;
    const auto file = files.write("a.so", "x");
    ASSERT_EQ(::chown(file.c_str(), 12345, 0), 0);

    EXPECT_THAT(distrust_reasons(file), ElementsAre(HasSubstr("belongs to user 12345")));
}

TEST(FileTrust, AFolderOfTheOwnersPrivateGroupIsFineAndAnotherGroupsIsNot) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give folders away";
    const PluginFiles files;
    const auto file = files.write("a.so", "x");
    PluginFiles::set_mode(files.folder(), 0775);

    EXPECT_THAT(distrust_reasons(file), IsEmpty());

    ASSERT_EQ(::chown(files.folder().c_str(), 0, 12345), 0);
    PluginFiles::set_mode(files.folder(), 0775);
    EXPECT_THAT(distrust_reasons(file), ElementsAre(HasSubstr("is writable by its group")));
}

TEST(FileTrust, APinMayBeWrittenInUpperCase) {
    EXPECT_EQ(normalised_pin(" " + std::string(64, 'A') + " "), std::string(64, 'a'));
    EXPECT_EQ(normalised_pin(std::string(63, 'a')), std::nullopt);
    EXPECT_EQ(normalised_pin(std::string(63, 'a') + "g"), std::nullopt);
    EXPECT_EQ(normalised_pin(" "), std::nullopt);
}

TEST(FileTrust, AHashOfAFileIsThatOfItsBytes) {
    const PluginFiles files;
    const auto file = files.write("a.so", "abc");
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);

    EXPECT_EQ(sha256_of(descriptor), sha256("abc", 3));
    ::close(descriptor);
}

}  // namespace
}  // namespace jobhost
