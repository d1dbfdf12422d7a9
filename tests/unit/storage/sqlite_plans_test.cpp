// A statement that walks over many rows must follow an index. SQLite silently scans the whole table
// where it cannot use one, which shows only with millions of rows.

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/sql/walk_sql.h"
#include "storage/sqlite/session.h"
#include "storage/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace jobhost::sqlite {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace sql;

class SqlitePlans : public ::testing::Test {
protected:
    std::string plan(std::string_view sql) {
        std::string text;
        Query row = session_.query("EXPLAIN QUERY PLAN " + std::string(sql));
        while (row.step()) text += row.text(3) + "\n";
        return text;
    }

    FakeClock clock_;
    TempDir folder_;
    std::string path_ = (folder_.path() / "jobs.db").string();
    std::unique_ptr<StoreHandle> handle_ = open_store({.url = "sqlite://" + path_}, clock_);
    Session session_{{.path = path_}, clock_};
};

const auto kNoScan =
    AllOf(Not(HasSubstr("SCAN job")), Not(HasSubstr("SCAN done")), Not(HasSubstr("SCAN dead")),
          Not(HasSubstr("SCAN pending")), Not(HasSubstr("SCAN fault")), Not(HasSubstr("SCAN tag")),
          Not(HasSubstr("SCAN idempotency")), Not(HasSubstr("SCAN i\n")),
          Not(HasSubstr("SCAN l\n")), Not(HasSubstr("SCAN running")), Not(HasSubstr("SCAN stat")));
const auto kNoSort = Not(HasSubstr("TEMP B-TREE"));

TEST_F(SqlitePlans, OfListsSearchAnIndexAndSortNothing) {
    for (const std::string_view sql :
         {kJobsBelow, kRunningBelow, kDoneBelow, kDeadBelow, kDoneOfStateBelow, kTaggedBelow,
          kFaultyBelow, kNextLane, kLaneFrom, kCountDue, kFirstFrom, kDeadLetters}) {
        EXPECT_THAT(plan(sql), AllOf(kNoScan, kNoSort)) << sql;
    }
    EXPECT_THAT(plan(kDoneOfStateBelow),
                HasSubstr("done_not_succeeded (state=? AND id>? AND id<?)"));
    EXPECT_THAT(plan(kLaneFrom), HasSubstr("PRIMARY KEY (lane=? AND "));
    EXPECT_THAT(plan(kDeadLettersOfJob), HasSubstr("dead_letter_by_job (id=? AND rowid<?)"));
}

TEST_F(SqlitePlans, OfTheFailuresReadTheNewestByTime) {
    const std::string steps = plan(kFailures);
    EXPECT_THAT(steps, HasSubstr("dead USING INDEX dead_by_time"));
    EXPECT_THAT(steps, Not(HasSubstr("SCAN f")));
    EXPECT_THAT(steps, kNoSort);
}

TEST_F(SqlitePlans, OfOpenDeadLetterRunsReadOnlyTheOpenOnes) {
    EXPECT_THAT(plan(kOpenDeadLetters), HasSubstr("USING INDEX dead_letter_open"));
    EXPECT_THAT(plan(kOpenDeadLettersByType), HasSubstr("USING INDEX dead_letter_open"));
}

TEST_F(SqlitePlans, OfThePurgeSearchAnIndexAndSortNothing) {
    for (const std::string_view sql :
         {kPurgeBound, kPurgeDone, kPurgeDead, kPurgeKeys, kPurgeStats}) {
        EXPECT_THAT(plan(sql), AllOf(kNoScan, kNoSort)) << sql;
    }
    EXPECT_THAT(plan(kPurgeDone),
                HasSubstr("SEARCH done USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"));
    EXPECT_THAT(plan(kPurgeDead), HasSubstr("COVERING INDEX dead_by_time"));
    EXPECT_THAT(plan(kPurgeKeys), HasSubstr("idempotency_by_time"));
    for (const std::string_view sql : {kPurgeDone, kPurgeDead}) {
        EXPECT_THAT(plan(sql), HasSubstr("dead_letter_by_job (id=?)"));
    }
}

}  // namespace
}  // namespace jobhost::sqlite
