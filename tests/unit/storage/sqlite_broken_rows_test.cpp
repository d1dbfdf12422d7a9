// Rows read from the store are input: one broken row never breaks a page, a count or a purge.

#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/sqlite/session.h"
#include "storage/store.h"
#include "tests/conformance/store_worker.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace jobhost::sqlite {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::enqueue_one;
using testing_support::ids_of;
using testing_support::StoreWorker;

class SqliteBrokenRows : public ::testing::Test {
protected:
    void damage(const char* sql) { Database(path_, 5s, false).exec(sql); }

    FakeClock clock_;
    TempDir folder_;
    std::string path_ = (folder_.path() / "jobs.db").string();
    std::unique_ptr<StoreHandle> handle_ = open_store({.url = "sqlite://" + path_}, clock_);
    std::unique_ptr<Store> store_ = handle_->open_session();
};

TEST_F(SqliteBrokenRows, ARunningJobWithoutItsJobRowIsShown) {
    StoreWorker worker(*store_, "w", {"pay"});
    enqueue_one(*store_, {.type = "pay"});
    enqueue_one(*store_, {.type = "pay"});
    ASSERT_EQ(worker.claim(2).size(), 2U);
    damage("DELETE FROM job WHERE id = 1");

    const JobPage page = store_->list_jobs({.states = {JobState::kProcessing}}, 10, "");

    ASSERT_THAT(ids_of(page.jobs), ElementsAre(2, 1));
    EXPECT_EQ(page.jobs[1].type, "pay");
    EXPECT_THAT(page.jobs[1].reason, HasSubstr("broken"));
    EXPECT_EQ(store_->find_job(1)->state, JobState::kProcessing);
}

TEST_F(SqliteBrokenRows, AJobThatNoTableHoldsIsShownAndCanBeDeleted) {
    enqueue_one(*store_, {.type = "pay", .tags = {"t"}});
    damage("DELETE FROM pending");

    const JobPage page = store_->list_jobs({}, 10, "");

    ASSERT_EQ(page.jobs.size(), 1U);
    EXPECT_THAT(page.jobs[0].reason, HasSubstr("broken"));
    EXPECT_EQ(store_->list_jobs({.tag = "t"}, 10, "").jobs.size(), 1U);
    EXPECT_EQ(store_->requeue_job(1, false).outcome, ControlAnswer::Outcome::kRefused);
    EXPECT_EQ(store_->cancel_job(1, "ann").outcome, ControlAnswer::Outcome::kRefused);
    EXPECT_EQ(store_->delete_job(1).outcome, ControlAnswer::Outcome::kDone);
    EXPECT_EQ(store_->find_job(1), std::nullopt);
}

TEST_F(SqliteBrokenRows, NamesThatAreGoneAreShownAsNumbers) {
    enqueue_one(*store_, {.type = "pay", .queue = "q"});
    damage("DELETE FROM name");
    const std::unique_ptr<Store> fresh = handle_->open_session();

    EXPECT_THAT(fresh->list_jobs({}, 10, "").jobs.at(0).type, HasSubstr("unknown:"));
    EXPECT_THAT(fresh->type_counts().at(0).queue, HasSubstr("unknown:"));
    EXPECT_THAT(fresh->due_counts(10).at(0).type, HasSubstr("unknown:"));
}

TEST_F(SqliteBrokenRows, NonsenseNumbersAndTextsAreShown) {
    StoreWorker worker(*store_, "w", {"pay"});
    enqueue_one(*store_, {.type = "pay"});
    worker.fail(worker.claim_one(), {{DeadLetterKind::kHandler, "pay"}});
    enqueue_one(*store_, {.type = "pay"});
    worker.succeed(worker.claim_one());
    damage(
        "UPDATE dead SET attempts = -9e15, max_attempts = 9000000000000, failed_at = -1;"
        "UPDATE fault SET types = char(10, 10), message = CAST(x'ff00fe' AS TEXT), at = -5;"
        "UPDATE dead_letter SET state = 77, kind = 9;"
        "UPDATE done SET state = 42;"
        "INSERT INTO log VALUES (1, 0, 0, 99, 'x'), (1, 1, 0, -4, 'y');"
        "INSERT INTO stat VALUES (0, 999, 1, 1, 1, 1);"
        "UPDATE job SET lane = lane | (255 << 32)");

    EXPECT_EQ(store_->list_jobs({}, 10, "").jobs.size(), 2U);
    EXPECT_EQ(store_->find_job(1)->log.size(), 2U);
    EXPECT_EQ(store_->find_job(1)->priority, Priority::kLow);
    EXPECT_EQ(store_->find_job(2)->state, JobState::kCancelled);
    EXPECT_EQ(store_->list_jobs({.states = {JobState::kFailed}}, 10, "").jobs.size(), 1U);
    EXPECT_EQ(store_->dead_letters(0, {}, 10, 0).size(), 1U);
    EXPECT_FALSE(store_->minute_stats({}).empty());
}

TEST_F(SqliteBrokenRows, ThePurgeRemovesAnEndWithoutItsJob) {
    StoreWorker worker(*store_, "w", {"pay"});
    for (int i = 0; i < 2; ++i) {
        enqueue_one(*store_, {.type = "pay"});
        worker.succeed(worker.claim_one());
    }
    damage("DELETE FROM job WHERE id = 1");
    clock_.advance(1h);

    const PurgeCount count = store_->purge({.succeeded = 1min}, 100);

    EXPECT_EQ(count.jobs, 2);
    EXPECT_FALSE(count.more);
    EXPECT_EQ(store_->find_job(1), std::nullopt);
    EXPECT_EQ(store_->purge({.succeeded = 1min}, 100).jobs, 0);
}

}  // namespace
}  // namespace jobhost::sqlite
