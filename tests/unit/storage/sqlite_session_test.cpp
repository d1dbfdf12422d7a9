#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "storage/sqlite/session.h"
#include "storage/store.h"
#include "tests/conformance/store_worker.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace jobhost::sqlite {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing_support::enqueue_one;
using testing_support::StoreWorker;
using Kind = StorageError::Kind;

class SqliteSession : public ::testing::Test {
protected:
    StoreOptions options() const { return {.url = "sqlite://" + path_, .lock_timeout = 10ms}; }
    void damage(const char* sql) { Database(path_, 5s, false).exec(sql); }

    template <class Action>
    std::string failure(Kind kind, Action action) {
        try {
            action();
        } catch (const StorageError& error) {
            EXPECT_EQ(error.kind(), kind) << error.what();
            return error.what();
        }
        ADD_FAILURE() << "nothing was thrown";
        return {};
    }

    FakeClock clock_;
    TempDir folder_;
    std::string path_ = (folder_.path() / "jobs.db").string();
    std::unique_ptr<StoreHandle> handle_ = open_store(options(), clock_);
    std::unique_ptr<Store> store_ = handle_->open_session();
};

TEST_F(SqliteSession, ANewFileIsItsOwnersOnly) {
    for (const std::string& file : {path_, path_ + "-gate", path_ + "-wal"}) {
        struct stat status {};
        ASSERT_EQ(stat(file.c_str(), &status), 0) << file;
        EXPECT_EQ(status.st_mode & 0777, 0600U) << file;
    }
}

TEST_F(SqliteSession, OpeningAgainKeepsWhatIsThere) {
    const JobId id = enqueue_one(*store_, {.type = "a"});
    store_.reset();
    handle_.reset();

    handle_ = open_store(options(), clock_, false);

    EXPECT_TRUE(handle_->open_session()->find_job(id).has_value());
    EXPECT_EQ(handle_->schema_version(), "1.1");
}

TEST_F(SqliteSession, AStoreOfTheFirstVersionIsBroughtForwardWithItsJobs) {
    const JobId id = enqueue_one(*store_, {.type = "a"});
    store_.reset();
    handle_.reset();
    damage(
        "DROP TABLE answer; ALTER TABLE request DROP COLUMN argument;"
        "ALTER TABLE running DROP COLUMN stopping;"
        "UPDATE meta SET value = '1.0' WHERE key = 'schema'");

    handle_ = open_store(options(), clock_);
    store_ = handle_->open_session();

    EXPECT_EQ(handle_->schema_version(), "1.1");
    EXPECT_TRUE(store_->find_job(id).has_value());
    EXPECT_FALSE(store_->take_answer(1).has_value());
}

TEST_F(SqliteSession, ANewerMajorVersionIsRefusedAndANewerMinorOneIsUsed) {
    damage("UPDATE meta SET value = '1.9' WHERE key = 'schema'");
    EXPECT_EQ(open_store(options(), clock_)->schema_version(), "1.9");
    damage("UPDATE meta SET value = '2.0' WHERE key = 'schema'");
    failure(Kind::kTooNew, [&] { open_store(options(), clock_); });
}

TEST_F(SqliteSession, ADatabaseOfSomebodyElseIsLeftAlone) {
    const std::string path = (folder_.path() / "other.db").string();
    Database(path, 0s, true).exec("CREATE TABLE precious (x)");

    const std::string why =
        failure(Kind::kMisused, [&] { open_store({.url = "sqlite://" + path}, clock_); });

    EXPECT_THAT(why, HasSubstr("not one of jobhost"));
}

TEST_F(SqliteSession, WhatCannotBeOpenedIsNamed) {
    const std::string gone = (folder_.path() / "none" / "jobs.db").string();
    EXPECT_THAT(
        failure(Kind::kUnavailable, [&] { open_store({.url = "sqlite://" + gone}, clock_); }),
        HasSubstr(gone));
    const std::string missing = (folder_.path() / "new.db").string();
    failure(Kind::kUnavailable, [&] { open_store({.url = "sqlite://" + missing}, clock_, false); });
    EXPECT_FALSE(std::filesystem::exists(missing));
    failure(Kind::kUnavailable,
            [&] { open_store({.url = "sqlite://" + folder_.path().string()}, clock_); });
    failure(Kind::kMisused, [&] { open_store({.url = "sqlite://relative.db"}, clock_); });
    const std::string url =
        failure(Kind::kMisused, [&] { open_store({.url = "mysql://me:secret@db/jobs"}, clock_); });
    EXPECT_THAT(url, ::testing::Not(HasSubstr("secret")));
}

TEST_F(SqliteSession, AForeignWriterMakesItBusyNotBroken) {
    Database foreign(path_, 0s, false);
    foreign.exec("BEGIN IMMEDIATE");
    const std::vector<NewJob> jobs{{.type = "a"}};

    failure(Kind::kBusy, [&] { store_->enqueue(jobs); });
    foreign.exec("ROLLBACK");

    EXPECT_GT(enqueue_one(*store_, {.type = "a"}), 0);
}

TEST_F(SqliteSession, AReplacedFileIsNoticedAtTheNextBeat) {
    const NodeId node = store_->register_node({.name = "n"});
    EXPECT_TRUE(store_->beat(node));
    std::filesystem::copy_file(path_, path_ + ".copy");
    std::filesystem::rename(path_ + ".copy", path_);

    const std::string why = failure(Kind::kCorrupt, [&] { store_->beat(node); });

    EXPECT_THAT(why, HasSubstr("replaced by another one"));
}

TEST_F(SqliteSession, NothingIsStoredInAFileThatWasDeletedOrMovedAway) {
    std::filesystem::rename(path_, path_ + ".away");

    const std::string why =
        failure(Kind::kUnavailable, [&] { store_->enqueue(std::vector<NewJob>{{.type = "a"}}); });
    std::filesystem::rename(path_ + ".away", path_);

    EXPECT_THAT(why, HasSubstr("deleted or moved away"));
    EXPECT_EQ(store_->enqueue(std::vector<NewJob>{{.type = "a"}}).index(), 0U);
}

TEST_F(SqliteSession, AChildProcessCannotUseIt) {
    const pid_t child = fork();
    if (child == 0) {
        try {
            store_->beat(1);
        } catch (const StorageError& error) {
            _exit(error.kind() == Kind::kMisused ? 0 : 1);
        }
        _exit(2);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

TEST_F(SqliteSession, AFailedTransactionLeavesNoNamesBehind) {
    const std::vector<NewJob> jobs{{.type = "fresh"}};
    damage("CREATE TRIGGER no BEFORE INSERT ON job BEGIN SELECT RAISE(ABORT, 'no'); END");
    EXPECT_THROW(store_->enqueue(jobs), StorageError);
    damage("DROP TRIGGER no");

    const JobId id = enqueue_one(*store_, {.type = "fresh"});

    EXPECT_EQ(store_->find_job(id)->type, "fresh");
    EXPECT_EQ(store_->type_counts().size(), 1U);
}

TEST_F(SqliteSession, AnItemThatTheEngineCannotStoreIsRefusedAlone) {
    StoreWorker worker(*store_, "w", {"a"});
    for (int i = 0; i < 3; ++i) enqueue_one(*store_, {.type = "a"});
    const std::vector<ClaimedJob> jobs = worker.claim(3);
    // The log is the last thing that is written: what was done before it has to be undone.
    damage(
        "CREATE TRIGGER no BEFORE INSERT ON log WHEN NEW.id = 2 "
        "BEGIN SELECT RAISE(ABORT, 'no'); END");
    std::vector<Write> writes;
    for (const ClaimedJob& job : jobs) {
        writes.emplace_back(
            RunReport{.lease = job.lease, .next = Succeed{}, .log = {{.text = "line"}}});
    }

    const Exchanged answer = store_->exchange(worker.node(), writes, {});

    EXPECT_EQ(answer.answers[0].outcome, WriteAnswer::Outcome::kStored);
    EXPECT_EQ(answer.answers[1].outcome, WriteAnswer::Outcome::kRefused);
    EXPECT_EQ(answer.answers[2].outcome, WriteAnswer::Outcome::kStored);
    EXPECT_EQ(store_->find_job(2)->state, JobState::kProcessing);
    EXPECT_EQ(store_->type_counts()[0].succeeded, 2);
    EXPECT_EQ(store_->type_counts()[0].processing, 1);
}

TEST_F(SqliteSession, BrokenRowsAreSkippedAndToldOnce) {
    StoreWorker worker(*store_, "w", {"a"});
    for (int i = 0; i < 4; ++i) enqueue_one(*store_, {.type = "a"});
    damage(
        "DELETE FROM job WHERE id = 1;"
        "INSERT INTO running (id, lane, run_at, attempts, max_attempts, fence, node, claimed_at) "
        "SELECT 2, lane, 0, 1, 1, 1, 99, 0 FROM job WHERE id = 2;"
        "UPDATE pending SET attempts = -5 WHERE id = 3;"
        "INSERT INTO pending VALUES (77 << 40, 0, 1000, 0, 0)");
    const std::vector<Demand> demand{{.queue = 0, .free = 10}};

    const Exchanged first = store_->exchange(worker.node(), {}, demand);
    const Exchanged second = store_->exchange(worker.node(), {}, demand);

    ASSERT_EQ(first.claimed.size(), 2U);
    EXPECT_EQ(first.claimed[0].lease.job, 3);
    EXPECT_EQ(first.claimed[1].lease.job, 4);
    EXPECT_EQ(first.broken.size(), 2U);
    EXPECT_TRUE(second.broken.empty());
    EXPECT_EQ(store_->find_job(4)->state, JobState::kProcessing);
}

TEST_F(SqliteSession, TheLogFileStaysSmallUnderManyTransactions) {
    StoreWorker worker(*store_, "w", {"a"});
    const std::vector<NewJob> bulk(
        500, NewJob{.type = "a", .input = "\"" + std::string(900, 'x') + "\""});
    for (int round = 0; round < 40; ++round) store_->enqueue(bulk);

    EXPECT_GT(std::filesystem::file_size(path_), 15'000'000U);
    EXPECT_LT(std::filesystem::file_size(path_ + "-wal"), 16'000'000U);
}

TEST_F(SqliteSession, TheLastOneWhoClosesLeavesOneFile) {
    enqueue_one(*store_, {.type = "a"});
    store_.reset();
    EXPECT_FALSE(std::filesystem::exists(path_ + "-wal"));
}

}  // namespace
}  // namespace jobhost::sqlite
