// Who gets an idempotency key when its holder moves just then: only a store with several writers at
// a time has these moments, which locks hold still here.
#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "storage/postgres/connection.h"
#include "tests/conformance/store_worker.h"
#include "tests/support/postgres_server.h"

namespace jobhost::testing_support {
namespace {

using namespace std::chrono_literals;

class PostgresKeys : public ::testing::Test {
protected:
    NewJob job_with_key() const { return {.type = "pay", .idempotency_key = "k"}; }

    static EnqueueResult enqueue(Store& store, const NewJob& job) {
        return store.enqueue(std::vector<NewJob>{job});
    }

    /// Waits until somebody waits for a lock in this schema.
    bool somebody_waits() {
        const auto until = std::chrono::steady_clock::now() + 20s;
        while (std::chrono::steady_clock::now() < until) {
            const postgres::Result waiting = admin_.exec(
                "SELECT count(*) FROM pg_stat_activity a WHERE a.wait_event_type = 'Lock' AND "
                "a.pid IN (SELECT l.pid FROM pg_locks l JOIN pg_class c ON c.oid = l.relation "
                "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = '" +
                schema_.name() + "')");
            if (waiting.integer(0, 0) > 0) return true;
            std::this_thread::sleep_for(2ms);
        }
        return false;
    }

    const SystemClock clock_;
    const FreshSchema schema_{PostgresServer::shared()};
    const StoreOptions options_{.url = PostgresServer::shared().url(), .schema = schema_.name()};
    const std::unique_ptr<StoreHandle> handle_ = open_store(options_, clock_);
    const std::unique_ptr<Store> store_ = handle_->open_session();
    const std::unique_ptr<Store> other_ = handle_->open_session();
    postgres::Connection admin_{{.url = PostgresServer::shared().url(true)}};
    postgres::Connection caller_{{.url = options_.url, .schema = schema_.name()}};
};

TEST_F(PostgresKeys, AreKeptByAJobThatIsClaimedWhileSomebodyAsksForItsKey) {
    StoreWorker worker(*store_, "w", {"pay"});
    const JobId holder = enqueue_one(*store_, job_with_key());

    // Whoever looks for the holder stops at this table; the job leaves another one meanwhile.
    caller_.exec("BEGIN; LOCK TABLE done IN ACCESS EXCLUSIVE MODE");
    auto asked = std::async(std::launch::async, [&] { return enqueue(*other_, job_with_key()); });
    ASSERT_TRUE(somebody_waits());
    EXPECT_EQ(worker.claim_one().lease.job, holder);
    caller_.exec("COMMIT");

    const EnqueueResult result = asked.get();
    const auto& answers = std::get<std::vector<Enqueued>>(result);
    EXPECT_EQ(answers.at(0).id, holder);
    EXPECT_TRUE(answers.at(0).duplicate);
}

TEST_F(PostgresKeys, AreNotInheritedTwiceFromAJobThatFailed) {
    StoreWorker worker(*store_, "w", {"pay"});
    enqueue_one(*store_, job_with_key());
    worker.fail(worker.claim_one());
    const std::string ask = "SELECT id, duplicate FROM enqueue('pay', idempotency_key => 'k')";

    // As every way in does: the key's row is locked first, and gets its new holder later.
    caller_.exec("BEGIN; SELECT FROM idempotency FOR UPDATE");
    auto asked = std::async(std::launch::async, [&] {
        postgres::Connection second({.url = options_.url, .schema = schema_.name()});
        const postgres::Result answer = second.exec(ask);
        return std::pair(answer.integer(0, 0), std::string(answer.view(0, 1)));
    });
    ASSERT_TRUE(somebody_waits());
    const std::int64_t heir = caller_.exec(ask).integer(0, 0);
    caller_.exec("COMMIT");

    EXPECT_EQ(asked.get(), std::pair(heir, std::string("t")));
}

}  // namespace
}  // namespace jobhost::testing_support
