#include <fstream>
#include <sqlite3.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/sqlite/database.h"
#include "tests/support/temp_dir.h"

namespace jobhost::sqlite {
namespace {

using namespace std::chrono_literals;
using Kind = StorageError::Kind;

template <class Action>
Kind kind_thrown_by(Action action) {
    try {
        action();
    } catch (const StorageError& error) {
        return error.kind();
    }
    ADD_FAILURE() << "nothing was thrown";
    return Kind::kMisused;
}

class SqliteDatabase : public ::testing::Test {
protected:
    std::string file(const char* name) const { return (folder_.path() / name).string(); }

    TempDir folder_;
    Database database_{file("a.db"), 0s, true};
};

TEST_F(SqliteDatabase, AQueryLeavesNothingOpenWhenItGoesOutOfScope) {
    database_.exec("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)");
    Statement statement(database_, "SELECT x FROM t");
    {
        Query row(statement);
        ASSERT_TRUE(row.step());
        EXPECT_NE(sqlite3_next_stmt(database_.handle(), nullptr), nullptr);
        EXPECT_TRUE(sqlite3_stmt_busy(sqlite3_next_stmt(database_.handle(), nullptr)));
    }
    EXPECT_FALSE(sqlite3_stmt_busy(sqlite3_next_stmt(database_.handle(), nullptr)));
}

TEST_F(SqliteDatabase, BindingsDoNotSurviveAUse) {
    Statement statement(database_, "SELECT ?1");
    {
        Query row(statement);
        row.bind_all("first").step();
    }
    Query row(statement);
    ASSERT_TRUE(row.step());
    EXPECT_TRUE(row.is_null(0));
}

TEST_F(SqliteDatabase, TextsKeepTheirBytes) {
    const std::string bytes("a\0\xff", 3);
    Statement statement(database_, "SELECT ?1, ?2, ?3, ?4");
    Query row(statement);
    row.bind_blob(1, bytes).bind(2, std::string_view()).bind(3, std::optional<int>());
    row.bind(4, TimePoint(Duration(7)));

    ASSERT_TRUE(row.step());
    EXPECT_EQ(row.text(0), bytes);
    EXPECT_FALSE(row.is_null(1));
    EXPECT_TRUE(row.is_null(2));
    EXPECT_EQ(row.time(3), TimePoint(Duration(7)));
}

TEST_F(SqliteDatabase, ValuesThatBreakAConstraintAreTheRowsFault) {
    database_.exec("CREATE TABLE t (x INTEGER PRIMARY KEY) STRICT; INSERT INTO t VALUES (1)");
    EXPECT_THROW(database_.exec("INSERT INTO t VALUES (1)"), sql::RowError);
    EXPECT_THROW(database_.exec("INSERT INTO t VALUES ('text')"), sql::RowError);
}

TEST_F(SqliteDatabase, ErrorsHaveTheirClass) {
    EXPECT_EQ(kind_thrown_by([&] { Database(file("none.db"), 0s, false); }), Kind::kUnavailable);
    EXPECT_EQ(kind_thrown_by([&] { database_.exec("nonsense"); }), Kind::kMisused);

    std::ofstream(file("text.db")) << std::string(4096, 'x');
    Database text(file("text.db"), 0s, false);
    EXPECT_EQ(kind_thrown_by([&] { text.exec("SELECT * FROM sqlite_schema"); }), Kind::kCorrupt);

    database_.exec("CREATE TABLE t (x)");
    Database other(file("a.db"), 0s, false);
    other.exec("BEGIN IMMEDIATE");
    EXPECT_EQ(kind_thrown_by([&] { database_.exec("INSERT INTO t VALUES (1)"); }), Kind::kBusy);
    other.exec("ROLLBACK");

    database_.exec("PRAGMA max_page_count = 3");
    EXPECT_EQ(kind_thrown_by([&] { database_.exec("INSERT INTO t VALUES (zeroblob(100000))"); }),
              Kind::kFull);
    database_.exec("PRAGMA query_only = 1");
    EXPECT_EQ(kind_thrown_by([&] { database_.exec("INSERT INTO t VALUES (1)"); }), Kind::kReadOnly);
}

TEST_F(SqliteDatabase, NoticesThatItsFileWasDeletedOrReplaced) {
    database_.exec("CREATE TABLE t (x)");
    EXPECT_FALSE(database_.has_moved());
    std::filesystem::remove(file("a.db"));
    EXPECT_TRUE(database_.has_moved());
    std::ofstream(file("a.db")) << "another one";
    EXPECT_TRUE(database_.has_moved());
}

TEST(SqliteVersion, CheckpointsAreSafeWhereTheResetBugIsFixed) {
    EXPECT_FALSE(checkpoints_are_safe(3'040'001));
    EXPECT_FALSE(checkpoints_are_safe(3'044'005));
    EXPECT_TRUE(checkpoints_are_safe(3'044'006));
    EXPECT_FALSE(checkpoints_are_safe(3'045'000));
    EXPECT_FALSE(checkpoints_are_safe(3'050'006));
    EXPECT_TRUE(checkpoints_are_safe(3'050'007));
    EXPECT_FALSE(checkpoints_are_safe(3'051'000));
    EXPECT_FALSE(checkpoints_are_safe(3'051'002));
    EXPECT_TRUE(checkpoints_are_safe(3'051'003));
}

}  // namespace
}  // namespace jobhost::sqlite
