#include "host/observe/log.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "host/observe/log_events.h"
#include "tests/support/temp_dir.h"

namespace jobhost {
namespace {

class LogTest : public testing::Test {
protected:
    LogOptions options(LogFormat format = LogFormat::kText) const {
        return {.format = format, .file = file_.string()};
    }
    static std::string read(const std::filesystem::path& file) {
        std::ostringstream text;
        text << std::ifstream(file).rdbuf();
        return text.str();
    }
    std::string text() const { return read(file_); }

    TempDir folder_;
    std::filesystem::path file_ = folder_.path() / "host.log";
};

TEST_F(LogTest, AMessageIsOneLineWhateverItHolds) {
    Log log(options());

    log.write(LogLevel::kInfo, "a\nINFO forged\x1b[2J\xff", {.job = 7, .type = "t", .attempt = 2});

    const std::string line = text();
    EXPECT_NE(line.find("job 7 (t) attempt 2: a\\nINFO forged\\x1b[2J\\xff\n"), std::string::npos)
        << line;
    EXPECT_EQ(std::ranges::count(line, '\n'), 1);
}

TEST_F(LogTest, AJsonLineIsAJsonObject) {
    Log log(options(LogFormat::kJson));

    log.write(LogLevel::kWarning, "a \"b\"\n", {.job = 7, .type = "t", .attempt = 2});

    const auto line = nlohmann::json::parse(text());
    EXPECT_EQ(line["level"], "warning");
    EXPECT_EQ(line["message"], "a \"b\"\n");
    EXPECT_EQ(line["job"], "7");
    EXPECT_EQ(line["type"], "t");
    EXPECT_EQ(line["attempt"], 2);
    EXPECT_TRUE(line["time"].get<std::string>().ends_with("Z"));
}

TEST_F(LogTest, AReaderThatDoesNotReadHoldsNobodyUpAndGetsTheNextLinesWhenItReadsAgain) {
    ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
    const int reader = ::open(file_.c_str(), O_RDONLY | O_NONBLOCK);
    ASSERT_GE(reader, 0);
    Log log(options());

    for (int i = 0; i < 5000; ++i) log.write(LogLevel::kInfo, std::string(100, 'x'));

    std::string got;
    std::array<char, 65536> part;
    const auto read_all = [&] {
        for (ssize_t size = 0; (size = ::read(reader, part.data(), part.size())) > 0;) {
            got.append(part.data(), static_cast<std::size_t>(size));
        }
    };
    read_all();
    log.write(LogLevel::kInfo, "back again");
    read_all();
    ::close(reader);
    EXPECT_NE(got.find("back again"), std::string::npos);
}

TEST_F(LogTest, DropsWhatIsBelowItsLevel) {
    Log log(options());

    log.write(LogLevel::kDebug, "quiet");

    EXPECT_EQ(text(), "");
    EXPECT_FALSE(log.enabled(LogLevel::kDebug));
    EXPECT_TRUE(log.enabled(LogLevel::kInfo));
}

TEST_F(LogTest, TakesAnotherLevelAndFormatWhileItIsInUse) {
    Log log(options());
    log.write(LogLevel::kDebug, "one");

    LogOptions changed = options(LogFormat::kJson);
    changed.level = LogLevel::kDebug;
    log.set(changed);
    log.write(LogLevel::kDebug, "two");

    EXPECT_TRUE(log.enabled(LogLevel::kDebug));
    EXPECT_EQ(nlohmann::json::parse(text()).at("message"), "two");
}

TEST_F(LogTest, TheFilesModeDoesNotDependOnTheUmask) {
    const mode_t old = ::umask(0077);
    const Log log(options());
    ::umask(old);

    struct stat status = {};
    ASSERT_EQ(::stat(file_.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(LogTest, AppendsToWhatIsThere) {
    std::ofstream(file_) << "old\n";
    Log log(options());

    log.write(LogLevel::kInfo, "new");

    EXPECT_TRUE(text().starts_with("old\n"));
}

TEST_F(LogTest, WritesToANewFileAfterTheOldOneWasMovedAway) {
    Log log(options());
    log.write(LogLevel::kInfo, "first");
    const auto moved = folder_.path() / "host.log.1";
    std::filesystem::rename(file_, moved);

    log.write(LogLevel::kInfo, "second");
    log.reopen();
    log.write(LogLevel::kInfo, "third");

    EXPECT_NE(read(moved).find("second"), std::string::npos);
    EXPECT_EQ(read(moved).find("third"), std::string::npos);
    EXPECT_NE(text().find("third"), std::string::npos);
}

TEST_F(LogTest, KeepsTheOldFileWhenTheNewOneCannotBeOpened) {
    Log log(options());
    const auto moved = folder_.path() / "host.log.1";
    std::filesystem::rename(file_, moved);
    std::filesystem::create_directory(file_);

    log.reopen();

    EXPECT_NE(read(moved).find("cannot be opened again"), std::string::npos);
}

TEST_F(LogTest, AFileThatCannotBeOpenedIsAnError) {
    EXPECT_THROW(Log({.file = (folder_.path() / "none" / "x.log").string()}), std::system_error);
}

TEST_F(LogTest, ASuccessfulJobMakesNoLine) {
    Log log(options());
    LogEvents events(log);
    const RunRef run{.job = 1, .type = "t", .queue = "q", .attempt = 1};

    events.job_started(run, {});
    events.job_succeeded(run, std::chrono::milliseconds(5));

    EXPECT_EQ(text(), "");
}

TEST_F(LogTest, AnErrorThatMustNotBeRetriedIsInformationAndSaysWhy) {
    Log log(options(LogFormat::kJson));
    LogEvents events(log);

    events.job_failed({.job = 1, .type = "t", .attempt = 1}, {.type = "E", .message = "m"},
                      "must_not_retry", "E is listed by jobs.t");

    const auto line = nlohmann::json::parse(text());
    EXPECT_EQ(line["level"], "info");
    EXPECT_EQ(line["message"], "failed and must not be retried (E is listed by jobs.t): E: m");
}

TEST_F(LogTest, TheStateOfTheStoreMakesOneLinePerChange) {
    Log log(options());
    LogEvents events(log);

    events.storage_up("committer");
    events.storage_down("committer", "disk full");
    events.storage_down("committer", "disk full");
    events.storage_up("committer");
    events.storage_up("committer");

    EXPECT_EQ(std::ranges::count(text(), '\n'), 2);
}

}  // namespace
}  // namespace jobhost
