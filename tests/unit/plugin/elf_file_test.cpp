#include "host/plugin/elf_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "tests/unit/plugin/plugin_files.h"

namespace jobhost {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

tl::expected<ElfFile, std::string> inspect(const std::filesystem::path& file) {
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    auto answer = inspect_elf(descriptor, file);
    ::close(descriptor);
    return answer;
}

std::string why_refused(const std::filesystem::path& file) {
    const auto answer = inspect(file);
    return answer ? std::string() : answer.error();
}

TEST(ElfFile, ASoundPluginIsAcceptedWithoutRunningIt) {
    const PluginFiles files;

    const auto elf = inspect(files.add("abort_at_load"));

    ASSERT_TRUE(elf) << elf.error();
    EXPECT_THAT(elf->needed, testing::Contains(StartsWith("libc.so")));
    EXPECT_FALSE(elf->note);
}

TEST(ElfFile, ThePluginNeedsToExportNothingButItsEntry) {
    const PluginFiles files;

    const auto elf = inspect(files.add("throws_everything"));

    ASSERT_TRUE(elf) << elf.error();
    EXPECT_THAT(elf->exports, ElementsAre("jobhost_plugin_v1"));
}

TEST(ElfFile, TheNoteSaysWhatThePluginIs) {
    const PluginFiles files;

    const auto elf = inspect(files.add("throws_everything"));

    ASSERT_TRUE(elf && elf->note);
    EXPECT_EQ(elf->note->name, "throws_everything");
    EXPECT_EQ(elf->note->version, "2.0.0");
    EXPECT_EQ(elf->note->abi_major, 1);
}

TEST(ElfFile, ATextFileIsNoLibrary) {
    const PluginFiles files;
    const auto file = files.write("text.so", "INPUT(libreal.so)\n");

    EXPECT_EQ(why_refused(file), file.string() + ": it is not a shared library (ELF)");
}

TEST(ElfFile, AnEmptyFileIsNoLibrary) {
    const PluginFiles files;

    EXPECT_THAT(why_refused(files.write("empty.so", "")), HasSubstr("the file is empty"));
}

TEST(ElfFile, AFolderIsNoLibrary) {
    const PluginFiles files;
    std::filesystem::create_directory(files.path("x.so"));

    EXPECT_THAT(why_refused(files.path("x.so")), HasSubstr("it is a folder"));
}

TEST(ElfFile, EveryTruncatedCopyIsRefused) {
    const PluginFiles files;
    const std::string whole = PluginFiles::read(files.add("sound"));

    for (std::size_t length = 1; length < whole.size(); length += 1 + whole.size() / 97) {
        const auto file = files.write("cut.so", whole.substr(0, length));
        EXPECT_THAT(why_refused(file), StartsWith(file.string() + ": ")) << length;
    }
    const auto file = files.write("cut.so", whole.substr(0, whole.size() - 1));
    EXPECT_NE(why_refused(file), "");
}

TEST(ElfFile, GarbageInTheTablesIsRefusedOrReadButNeverFatal) {
    const PluginFiles files;
    const std::string whole = PluginFiles::read(files.add("sound"));

    for (std::size_t at = 16; at < 2000; at += 7) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0xFF);
        inspect(files.write("damaged.so", damaged));
    }
}

TEST(ElfFile, ALibraryForAnotherMachineIsNamed) {
    const PluginFiles files;
    std::string bytes = PluginFiles::read(files.add("sound"));
    bytes[18] = static_cast<char>(243);  // e_machine
    bytes[19] = 0;

    EXPECT_THAT(why_refused(files.write("riscv.so", bytes)),
                HasSubstr("it was built for RISC-V; this host runs on"));
}

TEST(ElfFile, A32BitLibraryIsNamed) {
    const PluginFiles files;
    std::string bytes = PluginFiles::read(files.add("sound"));
    bytes[4] = 1;  // EI_CLASS

    EXPECT_THAT(why_refused(files.write("small.so", bytes)), HasSubstr("32-bit"));
}

TEST(ElfFile, AProgramIsNoSharedObject) {
    const PluginFiles files;
    std::string bytes = PluginFiles::read(files.add("sound"));
    bytes[16] = 2;  // e_type: ET_EXEC

    EXPECT_THAT(why_refused(files.write("program.so", bytes)), HasSubstr("not a shared object"));
}

TEST(ElfFile, ALibraryWithoutTheEntryIsNoPlugin) {
    const PluginFiles files;

    EXPECT_THAT(why_refused(files.add("bad_no_entry")),
                HasSubstr("it does not export jobhost_plugin_v1"));
}

TEST(ElfFile, StaticThreadLocalStorageIsRefused) {
    const PluginFiles files;

    EXPECT_THAT(why_refused(files.add("bad_static_tls")), HasSubstr("static thread-local storage"));
}

}  // namespace
}  // namespace jobhost
