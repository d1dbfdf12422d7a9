// What the network and the server do to a store in PostgreSQL.
#include <atomic>
#include <latch>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/postgres/connection.h"
#include "tests/conformance/store_worker.h"
#include "tests/support/postgres_server.h"
#include "tests/support/tcp_proxy.h"

namespace jobhost::testing_support {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;
using Kind = StorageError::Kind;

std::string random_folder() {
    return "/tmp/jobhost-pg-own-" + std::to_string(getpid()) + "-" + std::to_string(free_port());
}

/// A server of its own, so that it can be stopped, reached through a proxy.
class PostgresOutage : public ::testing::Test {
protected:
    StoreOptions options(int port) const {
        return {.url = "postgresql://jobs@127.0.0.1:" + std::to_string(port) + "/jobs",
                .lock_timeout = 5s};
    }
    std::unique_ptr<StoreHandle> open(int port) { return open_store(options(port), clock_); }

    std::string answer(const std::string& sql) {
        postgres::Connection admin({.url = server_.url(true)});
        const postgres::Result result = admin.exec(sql);
        return result.rows() > 0 ? std::string(result.view(0, 0)) : "";
    }

    const SystemClock clock_;
    const int port_ = free_port();
    const PostgresServer server_{random_folder(), port_};
    TcpProxy proxy_{port_};
};

TEST_F(PostgresOutage, ASessionWorksAgainAfterTheServerCameBack) {
    const auto handle = open(port_);
    const auto store = handle->open_session();
    StoreWorker worker(*store, "w", {"a"});
    const JobId id = enqueue_one(*store, {.type = "a"});
    const ClaimedJob job = worker.claim_one();

    server_.stop("fast");
    try {
        store->beat(worker.node());
        FAIL() << "the server is away";
    } catch (const StorageError& error) {
        EXPECT_EQ(error.kind(), Kind::kUnavailable) << error.what();
    }
    server_.restart();

    EXPECT_TRUE(store->beat(worker.node()));
    EXPECT_EQ(worker.succeed(job).outcome, WriteAnswer::Outcome::kStored);
    EXPECT_EQ(store->find_job(id)->state, JobState::kSucceeded);
}

TEST_F(PostgresOutage, ASessionWhoseConnectionWasEndedWhileItRestedNoticesNothing) {
    const auto handle = open(port_);
    const auto store = handle->open_session();
    enqueue_one(*store, {.type = "a"});

    answer("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'jobs'");

    enqueue_one(*store, {.type = "a"});
    EXPECT_EQ(store->type_counts().at(0).waiting, 2);
}

TEST_F(PostgresOutage, ALostAnswerToACommitIsAnUnknownOutcomeThatTheKeyClearsUp) {
    const auto handle = open(proxy_.port());
    const auto store = handle->open_session();
    const std::vector<NewJob> jobs{{.type = "a", .idempotency_key = "k"}};
    enqueue_one(*store, {.type = "a"});  // connected
    proxy_.cut_behind("COMMIT");

    try {
        store->enqueue(jobs);
        FAIL() << "the connection was cut";
    } catch (const StorageError& error) {
        EXPECT_EQ(error.kind(), Kind::kUnknownOutcome) << error.what();
        EXPECT_THAT(error.what(), HasSubstr("repeat with the same idempotency key"));
    }
    ASSERT_TRUE(proxy_.has_cut());

    const EnqueueResult again = store->enqueue(jobs);
    EXPECT_TRUE(std::get<std::vector<Enqueued>>(again).front().duplicate);
}

TEST_F(PostgresOutage, AnOutcomeWhoseCommitsAnswerWasLostIsTakenForStored) {
    const auto handle = open(proxy_.port());
    const auto store = handle->open_session();
    StoreWorker worker(*store, "w", {"a"});
    const JobId id = enqueue_one(*store, {.type = "a"});
    const ClaimedJob job = worker.claim_one();
    proxy_.cut_behind("COMMIT");

    EXPECT_THROW(worker.succeed(job), StorageError);

    EXPECT_EQ(worker.succeed(job).outcome, WriteAnswer::Outcome::kStored);
    EXPECT_EQ(store->find_job(id)->state, JobState::kSucceeded);
    EXPECT_EQ(store->type_counts().at(0).succeeded, 1);
}

TEST_F(PostgresOutage, AListenerWhoseConnectionWasEndedHearsAgain) {
    const auto handle = open(port_);
    const auto listener = handle->open_listener();
    const auto store = handle->open_session();
    answer("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'jobs'");

    EXPECT_THROW(listener->wait(5s), StorageError);
    EXPECT_TRUE(listener->wait(5s)) << "what was missed counts as news";
    EXPECT_FALSE(listener->wait(0s));
    enqueue_one(*store, {.type = "a"});

    EXPECT_TRUE(listener->wait(5s));
}

TEST_F(PostgresOutage, AListenerFindsOutThatTheOtherEndIsGoneWithoutAWord) {
    const auto handle = open(proxy_.port());
    const auto listener = handle->open_listener();
    proxy_.freeze();

    const auto start = std::chrono::steady_clock::now();
    EXPECT_THROW(listener->wait(60s), StorageError);
    EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);

    EXPECT_TRUE(listener->wait(5s));
    enqueue_one(*handle->open_session(), {.type = "a"});
    EXPECT_TRUE(listener->wait(5s));
}

TEST_F(PostgresOutage, ManyThatStartTogetherMakeTheTablesOnce) {
    constexpr int kCount = 8;
    std::latch begins(kCount);
    std::atomic<int> good = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < kCount; ++i) {
        threads.emplace_back([&] {
            begins.arrive_and_wait();
            const auto handle = open(port_);
            enqueue_one(*handle->open_session(), {.type = "a"});
            ++good;
        });
    }
    for (std::thread& thread : threads) thread.join();

    EXPECT_EQ(good.load(), kCount);
    EXPECT_EQ(open(port_)->open_session()->type_counts().at(0).waiting, kCount);
}

TEST_F(PostgresOutage, EnqueuesAndOutcomesAreDurableWhateverTheDefaultIs) {
    answer("ALTER ROLE jobs SET synchronous_commit = off");
    const auto handle = open(port_);
    const auto store = handle->open_session();
    answer(
        "CREATE TABLE jobhost.seen (what text, setting text);"
        "CREATE FUNCTION jobhost.see() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ "
        "BEGIN INSERT INTO jobhost.seen VALUES (TG_TABLE_NAME, "
        "current_setting('synchronous_commit')); RETURN NEW; END $$;"
        "CREATE TRIGGER see AFTER INSERT ON jobhost.job FOR EACH ROW EXECUTE FUNCTION "
        "jobhost.see();"
        "CREATE TRIGGER see AFTER INSERT ON jobhost.done FOR EACH ROW EXECUTE FUNCTION "
        "jobhost.see()");
    StoreWorker worker(*store, "w", {"a"});
    enqueue_one(*store, {.type = "a"});
    worker.succeed(worker.claim_one());
    postgres::Connection caller({.url = options(port_).url});
    caller.exec("BEGIN; SELECT jobhost.enqueue('a'); COMMIT");

    EXPECT_EQ(answer("SELECT string_agg(what || ' ' || setting, ', ' ORDER BY what) "
                     "FROM jobhost.seen"),
              "done on, job on, job on");
}

TEST_F(PostgresOutage, NoSessionRestsInsideATransaction) {
    const auto handle = open(port_);
    const auto store = handle->open_session();
    const auto listener = handle->open_listener();
    StoreWorker worker(*store, "w", {"a"});
    enqueue_one(*store, {.type = "a"});
    worker.claim_one();
    store->list_jobs({}, 10, "");
    store->pauses();
    listener->wait(0s);

    EXPECT_EQ(answer("SELECT count(*) FROM pg_stat_activity WHERE usename = 'jobs' "
                     "AND state <> 'idle'"),
              "0");
}

TEST_F(PostgresOutage, AnErrorNeverHoldsThePassword) {
    const std::vector<std::string> bad{
        "postgresql://jobs:s3cret@127.0.0.1:1/jobs", "postgresql://jobs:s3cret@[bad/jobs",
        "postgresql://nobody:s3cret@127.0.0.1:" + std::to_string(port_) + "/jobs",
        "postgresql://jobs:s3cret@127.0.0.1/jobs?nonsense=s3cret"};
    for (const std::string& url : bad) {
        try {
            open_store({.url = url}, clock_);
            ADD_FAILURE() << url;
        } catch (const StorageError& error) {
            EXPECT_THAT(error.what(), Not(HasSubstr("s3cret")));
        }
    }
    const auto handle = open_store(
        {.url = "postgresql://jobs:s3cret@127.0.0.1:" + std::to_string(port_) + "/jobs"}, clock_);
    EXPECT_THAT(handle->description(), Not(HasSubstr("s3cret")));
}

}  // namespace
}  // namespace jobhost::testing_support
