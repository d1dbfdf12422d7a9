// jobhost.enqueue(): the way in from SQL.
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/enqueue_rules.h"
#include "storage/postgres/connection.h"
#include "storage/sql/statement.h"
#include "tests/conformance/store_worker.h"
#include "tests/support/postgres_server.h"

namespace jobhost::testing_support {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PostgresEnqueue : public ::testing::Test {
protected:
    /// The answer's columns as psql shows them, or the reason of the refusal.
    std::string enqueue(const std::string& arguments) {
        try {
            const postgres::Result row =
                caller_.exec("SELECT * FROM " + schema_.name() + ".enqueue(" + arguments + ")");
            return std::string(row.view(0, 0)) + "|" + std::string(row.view(0, 1)) + "|" +
                   std::string(row.view(0, 2));
        } catch (const StorageError& error) {
            return error.what();
        }
    }

    JobId enqueued(const std::string& arguments) {
        const std::string answer = enqueue(arguments);
        EXPECT_TRUE(answer.find("|f|") != std::string::npos) << answer;
        return std::atoll(answer.c_str());
    }

    const SystemClock clock_;
    const FreshSchema schema_{PostgresServer::shared()};
    const StoreOptions options_{.url = PostgresServer::shared().url(), .schema = schema_.name()};
    const std::unique_ptr<StoreHandle> handle_ = open_store(options_, clock_);
    const std::unique_ptr<Store> store_ = handle_->open_session();
    postgres::Connection caller_{{.url = options_.url, .schema = "public"}};
};

TEST_F(PostgresEnqueue, StoresEveryOption) {
    const JobId id = enqueued(
        "'pay', '{\"a\" : 1e400}', queue => 'money', priority => 'high', max_attempts => 7, "
        "delay => '1 hour', deadline => '2 hours', timeout => '90 seconds', "
        "tags => ARRAY['x', 'y z'], idempotency_key => 'k', traceparent => 't', source => "
        "'billing'");

    const Job job = store_->find_job(id).value();
    EXPECT_EQ(job.type, "pay");
    EXPECT_EQ(job.input, "{\"a\" : 1e400}");
    EXPECT_EQ(job.queue, "money");
    EXPECT_EQ(job.priority, Priority::kHigh);
    EXPECT_EQ(job.max_attempts_requested, 7);
    EXPECT_EQ(job.run_at, job.created_at + 1h);
    EXPECT_EQ(job.expires_at, job.run_at + 2h);
    EXPECT_EQ(job.timeout_requested, 90s);
    EXPECT_THAT(job.tags, ElementsAre("x", "y z"));
    EXPECT_EQ(job.idempotency_key, "k");
    EXPECT_EQ(job.traceparent, "t");
    EXPECT_EQ(job.source, "billing");
    EXPECT_EQ(job.state, JobState::kScheduled);
    EXPECT_EQ(store_->list_jobs({.tag = "y z"}, 10, "").jobs.size(), 1U);
    EXPECT_EQ(store_->type_counts().at(0).waiting, 1);
}

TEST_F(PostgresEnqueue, BelongsToTheTransactionOfTheCaller) {
    caller_.exec("BEGIN");
    enqueued("'pay'");
    caller_.exec("ROLLBACK");
    EXPECT_TRUE(store_->list_jobs({}, 10, "").jobs.empty());
    EXPECT_TRUE(store_->type_counts().empty());

    caller_.exec("BEGIN");
    const JobId id = enqueued("'pay'");
    EXPECT_FALSE(store_->find_job(id).has_value());
    caller_.exec("COMMIT");
    StoreWorker worker(*store_, "w", {"pay"});
    EXPECT_EQ(worker.claim_one().lease.job, id);
}

TEST_F(PostgresEnqueue, WakesAListenerOnceForAllJobsOfATransaction) {
    const auto listener = handle_->open_listener();
    while (listener->wait(0s)) {
    }
    caller_.exec("BEGIN");
    for (int i = 0; i < 100; ++i) enqueued("'pay'");
    EXPECT_FALSE(listener->wait(0s));
    caller_.exec("COMMIT");

    EXPECT_TRUE(listener->wait(5s));
    EXPECT_FALSE(listener->wait(0s));
}

TEST_F(PostgresEnqueue, TreatsKeysAsEveryOtherWayInDoes) {
    StoreWorker worker(*store_, "w", {"pay"});
    const JobId first = enqueued("'pay', idempotency_key => 'k'");
    const std::string duplicate = std::to_string(first) + "|t|";
    EXPECT_EQ(enqueue("'pay', idempotency_key => 'k', on_duplicate => 'reject_always'"), duplicate);
    EXPECT_GT(enqueued("'other', idempotency_key => 'k'"), first) << "scoped to the type";
    const ClaimedJob job = worker.claim_one();
    EXPECT_EQ(enqueue("'pay', idempotency_key => 'k'"), duplicate);
    worker.succeed(job);
    EXPECT_EQ(enqueue("'pay', idempotency_key => 'k'"), duplicate);
    EXPECT_EQ(enqueue("'pay', idempotency_key => 'k', on_duplicate => 'reject_if_failed'"),
              duplicate);
    EXPECT_THAT(enqueue("'pay', idempotency_key => 'k', on_duplicate => 'reject_always'"),
                HasSubstr("the idempotency key is held by job " + std::to_string(first) +
                          ", which is succeeded"));

    const JobId failing = enqueued("'pay', idempotency_key => 'f'");
    worker.fail(worker.claim_one());
    EXPECT_THAT(enqueue("'pay', idempotency_key => 'f', on_duplicate => 'reject_if_failed'"),
                HasSubstr("job " + std::to_string(failing) + ", which is failed"));
    EXPECT_GT(enqueued("'pay', idempotency_key => 'f'"), failing);
}

TEST_F(PostgresEnqueue, WarnsAsEveryOtherWayInDoes) {
    StoreWorker worker(*store_, "w", {"pay"});
    EXPECT_THAT(enqueue("'mail'"), HasSubstr("|f|no live node runs the type mail"));
    EXPECT_THAT(enqueue("'pay'"), ::testing::EndsWith("|f|"));
    EXPECT_THAT(enqueue("'pay', queue => 'x'"),
                HasSubstr("no live node that runs the type pay works on the queue x"));
}

TEST_F(PostgresEnqueue, NeedsNoRightsOnTheTables) {
    postgres::Connection admin({.url = PostgresServer::shared().url(true)});
    const std::string role = schema_.name() + "_app";
    admin.exec("CREATE ROLE " + role + "; GRANT " + role + " TO jobs; GRANT USAGE ON SCHEMA " +
               schema_.name() + " TO " + role);
    caller_.exec("SET ROLE " + role);
    EXPECT_GT(enqueued("'pay'"), 0);
    EXPECT_THROW(caller_.exec("SELECT * FROM " + schema_.name() + ".job"), StorageError);
    caller_.exec("RESET ROLE");
    admin.exec("DROP OWNED BY " + role + "; DROP ROLE " + role);
}

/// Inputs that are JSON and that are not: both ways in must say the same of each.
TEST_F(PostgresEnqueue, AcceptsAndRefusesTheInputsThatEveryOtherWayInDoes) {
    const std::string deep(256, '[');
    const std::string end(256, ']');
    const std::vector<std::string> inputs{
        std::string("null"),
        std::string("  {\"a\": [1, 2.5e-3, \"x\\u0041\\n\", true]} "),
        std::string("1e400"),
        std::string("-0"),
        std::string("01"),
        std::string("+1"),
        std::string("1."),
        std::string(".5"),
        std::string("[1,]"),
        std::string("{\"a\":1,}"),
        std::string("{a:1}"),
        std::string("'a'"),
        std::string("\"a\tb\""),
        std::string(""),
        std::string(" "),
        std::string("nul"),
        std::string("NaN"),
        std::string("[1] x"),
        std::string("\"\\x41\""),
        std::string("\"\\ud800\""),
        std::string("\"\\u00\""),
        std::string("\"caf\xC3\xA9\""),
        std::string("\xEF\xBB\xBF{}"),
        std::string("{\"a\":}"),
        std::string("\"\\\\\""),
        std::string("\"[[[\""),
        deep + end,
        "[" + deep + end + "]",
        "{\"a\":" + deep + end + "}",
        "[" + std::string(300, '1') + "]",
        "[" + std::string("[],[],[]") + "]"};
    for (const std::string& input : inputs) {
        const NewJob job{.type = "pay", .input = input};
        const bool accepted = !check_new_job(job, 1024 * 1024).has_value();
        std::string quoted;
        for (const char c : input) quoted += c == '\'' ? std::string("''") : std::string(1, c);
        const std::string answer = enqueue("'pay', '" + quoted + "'");
        EXPECT_EQ(answer.find("|f|") != std::string::npos, accepted) << input << ": " << answer;
    }
}

/// Each broken rule, as C++ and as SQL, with what both say.
TEST_F(PostgresEnqueue, RefusesEachBrokenRuleWithTheSameReason) {
    struct Case {
        std::string arguments;
        std::function<void(NewJob&)> break_rule;
    };
    const auto at = [](std::int64_t seconds) { return TimePoint(std::chrono::seconds(seconds)); };
    const std::vector<Case> cases = {
        {"''", [](NewJob& j) { j.type = ""; }},
        {"'pay', queue => ''", [](NewJob& j) { j.queue = ""; }},
        {"'pay', max_attempts => 0", [](NewJob& j) { j.max_attempts = 0; }},
        {"'pay', max_attempts => 1000001", [](NewJob& j) { j.max_attempts = 1'000'001; }},
        {"'pay', priority => 'urgent'", [](NewJob& j) { j.priority = static_cast<Priority>(9); }},
        {"'pay', on_duplicate => 'x'",
         [](NewJob& j) { j.on_duplicate = static_cast<OnDuplicate>(9); }},
        {"'pay', tags => ARRAY['']", [](NewJob& j) { j.tags = {""}; }},
        {"'pay', tags => array_fill('t'::text, ARRAY[65])",
         [](NewJob& j) { j.tags = std::vector<std::string>(65, "t"); }},
        {"'pay', delay => '1 s', run_at => '1970-01-01 00:00:01Z'",
         [&](NewJob& j) {
             j.delay = 1s;
             j.run_at = at(1);
         }},
        {"'pay', deadline => '1 s', deadline_at => '1970-01-01 00:00:01Z'",
         [&](NewJob& j) {
             j.deadline_after = 1s;
             j.deadline_at = at(1);
         }},
        {"'pay', delay => '-1 s'", [](NewJob& j) { j.delay = -1s; }},
        {"'pay', delay => '101 years'", [](NewJob& j) { j.delay = 24h * 36600; }},
        {"'pay', deadline => '0'", [](NewJob& j) { j.deadline_after = 0s; }},
        {"'pay', timeout => '-1 s'", [](NewJob& j) { j.timeout = -1s; }},
        {"'pay', run_at => '1969-12-31 23:59:59Z'", [&](NewJob& j) { j.run_at = at(-1); }},
        {"'pay', run_at => '1970-01-01 00:00:10Z', deadline_at => '1970-01-01 00:00:10Z'",
         [&](NewJob& j) {
             j.run_at = at(10);
             j.deadline_at = at(10);
         }},
        {"'pay', idempotency_key => ''", [](NewJob& j) { j.idempotency_key = ""; }},
        {"'pay', idempotency_key => repeat('k', 513)",
         [](NewJob& j) { j.idempotency_key = std::string(513, 'k'); }},
        {"'pay', idempotency_key => E'a\\nb'", [](NewJob& j) { j.idempotency_key = "a\nb"; }},
        {"'pay', traceparent => repeat('t', 257)",
         [](NewJob& j) { j.traceparent = std::string(257, 't'); }},
        {"'pay', source => repeat('s', 257)", [](NewJob& j) { j.source = std::string(257, 's'); }},
        {"'pay', '\"' || repeat('x', 1048575) || '\"'",
         [](NewJob& j) { j.input = "\"" + std::string(1048575, 'x') + "\""; }},
    };
    for (const Case& one : cases) {
        NewJob job{.type = "pay"};
        one.break_rule(job);
        const auto reason = check_new_job(job, 1024 * 1024);
        ASSERT_TRUE(reason.has_value()) << one.arguments;
        EXPECT_THAT(enqueue(one.arguments), HasSubstr(*reason));
    }
    EXPECT_TRUE(store_->list_jobs({}, 10, "").jobs.empty());
}

}  // namespace
}  // namespace jobhost::testing_support
