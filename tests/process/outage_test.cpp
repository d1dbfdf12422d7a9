// The store is away, locked, deleted or replaced under a working host.
#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/process/jobhost_process.h"

namespace jobhost::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kLedgerA = LEDGER_PLUGINS "/ledger_a.so";

class Outage : public ::testing::Test {
protected:
    void SetUp() override {
        site_.add_service("a", {kLedgerA},
                          "shutdown: { grace: 500ms, cancel: 500ms }\n"
                          "queues: [ { name: default, workers: 1 } ]");
    }

    /// A host that runs one job, which ends in a moment.
    std::pair<pid_t, std::string> host_with_a_running_job(const char* milliseconds) {
        const std::string input = std::string("{\"ms\":") + milliseconds + "}";
        const std::string id = site_.enqueue("a", {"a.work", "--input", input});
        const pid_t host = site_.start("a");
        EXPECT_TRUE(site_.reaches("a", id, "processing"));
        return {host, id};
    }

    Site site_;
};

/// What can happen to a file only.
class SqliteOutage : public Outage {};

TEST_F(SqliteOutage, AHostWhoseFileWasMovedAwayRunsNothingMoreAndStoresWhatItHasWhenTheFileIsBack) {
    const std::string queued = site_.enqueue("a", {"a.work", "--input", "{}", "--delay", "1s"});
    const auto [host, id] = host_with_a_running_job("700");

    std::filesystem::rename(site_.database(), site_.folder() / "away.db");
    ASSERT_TRUE(eventually([&] { return !site_.ledger_lines("done").empty(); }));
    ASSERT_TRUE(eventually(
        [&] { return site_.log_of(host).find("deleted or moved away") != std::string::npos; }));
    EXPECT_THAT(site_.ledger_lines("run"), SizeIs(1));
    std::filesystem::rename(site_.folder() / "away.db", site_.database());

    EXPECT_TRUE(site_.reaches("a", id, "succeeded"));
    EXPECT_TRUE(site_.reaches("a", queued, "succeeded"));
    EXPECT_EQ(site_.json("a", {"jobs", "show", id}).at("attempts"), 1);
    EXPECT_EQ(site_.integrity(), "ok");
}

TEST_F(SqliteOutage, AReplacedFileEndsTheHostWithStatusOneAndASentence) {
    const pid_t host = site_.start("a");
    std::filesystem::copy_file(site_.database(), site_.folder() / "copy.db");

    std::filesystem::rename(site_.folder() / "copy.db", site_.database());

    const std::filesystem::path log = site_.log_file(host);
    EXPECT_EQ(site_.wait(host, 30s), 1);
    EXPECT_THAT(read_file(log), HasSubstr("replaced by another one"));
}

TEST_F(Outage, AHostThatMustStopWhileTheStoreIsLockedEndsInTimeAndSaysWhatIsLost) {
    const auto [host, id] = host_with_a_running_job("300");
    const std::filesystem::path log = site_.log_file(host);
    {
        const auto lock = site_.block_outcomes();
        ASSERT_TRUE(eventually([&] { return !site_.ledger_lines("done").empty(); }));

        site_.signal(host, SIGTERM);

        EXPECT_EQ(site_.wait(host, 12s), 1) << "a lock may be waited for 15 s and more";
    }
    EXPECT_THAT(read_file(log), HasSubstr("outcomes of jobs are lost with this process"));
    EXPECT_EQ(site_.state("a", id), "processing");
}

TEST_F(Outage, WithNoNodeAliveAnOperatorSeesTheDeathAndMayCancelOrDelete) {
    const auto [host, id] = host_with_a_running_job("60000");
    site_.kill(host);

    EXPECT_THAT(site_.command("a", {"why", id}).out, HasSubstr("orphaned"));
    EXPECT_THAT(site_.command("a", {"enqueue", "a.work", "--delay", "1h"}).err,
                HasSubstr("no live node"));
    EXPECT_EQ(site_.json("a", {"nodes"}).at("items")[0].at("state"), "dead");
    EXPECT_EQ(site_.command("a", {"jobs", "cancel", id}).exit_code, 0);
    EXPECT_EQ(site_.state("a", id), "cancelled");
    EXPECT_THAT(site_.ledger_lines("dead"), IsEmpty());
}

}  // namespace
}  // namespace jobhost::test
