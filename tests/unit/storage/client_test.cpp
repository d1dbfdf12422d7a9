// The library that applications link: only its own header is used to make jobs; the store's own
// interface reads back what became of them.

#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jobhost/client.hpp>

#include "storage/store.h"
#include "tests/support/temp_dir.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

class ClientTest : public ::testing::Test {
protected:
    std::optional<Job> stored(std::int64_t id) {
        return open_store({.url = url_}, clock_, false)->open_session()->find_job(id);
    }

    /// The error of a call that must fail.
    template <class Call>
    client::Error error_of(Call call) {
        try {
            call();
        } catch (const client::Error& error) {
            return error;
        }
        ADD_FAILURE() << "nothing was thrown";
        return client::Error(client::Error::Kind::kUnusable, "");
    }

    SystemClock clock_;
    TempDir folder_;
    std::string url_ = "sqlite://" + (folder_.path() / "jobs.db").string();
};

TEST_F(ClientTest, EnqueuesWithEveryOption) {
    client::Client jobs({url_});
    client::Options options;
    options.queue = "critical";
    options.priority = client::Priority::kHigh;
    options.tags = {"a", "b"};
    options.max_attempts = 4;
    options.delay = 1h;
    options.deadline_after = 5min;
    options.timeout = 30s;
    options.idempotency_key = "k";
    options.traceparent = "00-ab";

    const client::Enqueued made = jobs.enqueue("pay", "{ \"n\": 1e400 }", options);

    EXPECT_FALSE(made.duplicate);
    const std::optional<Job> job = stored(made.id);
    ASSERT_TRUE(job.has_value());
    EXPECT_EQ(job->type, "pay");
    EXPECT_EQ(job->input, "{ \"n\": 1e400 }");
    EXPECT_EQ(job->queue, "critical");
    EXPECT_EQ(job->priority, Priority::kHigh);
    EXPECT_THAT(job->tags, ElementsAre("a", "b"));
    EXPECT_THAT(job->max_attempts_requested, Optional(4));
    EXPECT_EQ(job->run_at - job->created_at, 1h);
    EXPECT_EQ(*job->expires_at - job->run_at, 5min);
    EXPECT_THAT(job->timeout_requested, Optional(Duration(30s)));
    EXPECT_THAT(job->idempotency_key, Optional(std::string("k")));
    EXPECT_THAT(job->traceparent, Optional(std::string("00-ab")));
    EXPECT_EQ(job->source, "client");
}

TEST_F(ClientTest, TakesATimeForTheStartAndTheDeadline) {
    client::Client jobs({url_});
    const auto run_at = std::chrono::system_clock::time_point(4'000'000'000s);
    client::Options options;
    options.run_at = run_at;
    options.deadline_at = run_at + 1h;

    const std::int64_t id = jobs.enqueue("pay", "null", options).id;

    EXPECT_EQ(stored(id)->run_at, run_at);
    EXPECT_EQ(stored(id)->expires_at, run_at + 1h);
}

TEST_F(ClientTest, WarnsWhenNoLiveNodeRunsTheType) {
    client::Client jobs({url_});

    EXPECT_EQ(jobs.enqueue("pay", "1").warning, "no live node runs the type pay");

    const auto session = open_store({.url = url_}, clock_)->open_session();
    NodeRegistration node{.incarnation = std::string(32, 'a'), .name = "n"};
    node.types = {{"pay", false}};
    node.queues = {"default"};
    session->register_node(node);
    EXPECT_EQ(jobs.enqueue("pay", "1").warning, "");
    EXPECT_EQ(jobs.enqueue("pay", "1", {.queue = "defualt"}).warning,
              "no live node that runs the type pay works on the queue defualt");
}

TEST_F(ClientTest, ADuplicateIsTheJobThatHoldsTheKey) {
    client::Client jobs({url_});
    client::NewJob job{"pay", "1", {}};
    job.options.idempotency_key = "k";
    const client::Enqueued first = jobs.enqueue(job);

    const client::Enqueued second = jobs.enqueue(job);

    EXPECT_EQ(second.id, first.id);
    EXPECT_TRUE(second.duplicate);
}

TEST_F(ClientTest, ManyAreStoredTogetherOrNotAtAll) {
    client::Client jobs({url_});
    const std::vector<client::Enqueued> made =
        jobs.enqueue_all({{"pay", "1", {}}, {"mail", "2", {}}, {"pay", "3", {}}});
    ASSERT_EQ(made.size(), 3U);
    EXPECT_EQ(stored(made[1].id)->type, "mail");
    EXPECT_TRUE(jobs.enqueue_all(std::vector<client::NewJob>{}).empty());

    const client::Error error = error_of([&] {
        jobs.enqueue_all({{"pay", "1", {}}, {"pay", "{", {}}});
    });

    EXPECT_EQ(error.kind(), client::Error::Kind::kRefused);
    EXPECT_EQ(error.index(), 1U);
    EXPECT_THAT(error.what(), HasSubstr("job 1: the input is not JSON"));
    EXPECT_EQ(stored(made[2].id + 1), std::nullopt);
}

TEST_F(ClientTest, ARefusalNamesTheJobThatHoldsTheKey) {
    client::Client jobs({url_});
    client::NewJob job{"pay", "1", {}};
    job.options.idempotency_key = "k";
    const std::int64_t first = jobs.enqueue(job).id;
    open_store({.url = url_}, clock_)->open_session()->cancel_job(first, "ann");
    job.options.on_duplicate = client::OnDuplicate::kRejectIfFailed;

    const client::Error error = error_of([&] { jobs.enqueue(job); });

    EXPECT_EQ(error.kind(), client::Error::Kind::kRefused);
    EXPECT_EQ(error.existing_id(), first);
    EXPECT_THAT(error.what(), HasSubstr(std::to_string(first)));
}

TEST_F(ClientTest, AWrongUrlOrAMissingStoreIsAnError) {
    EXPECT_EQ(error_of([] { client::Client({"nosql://x"}); }).kind(),
              client::Error::Kind::kUnusable);
    client::Settings settings{url_};
    settings.create = false;
    EXPECT_EQ(error_of([&] { client::Client(std::move(settings)); }).kind(),
              client::Error::Kind::kUnavailable);
}

TEST_F(ClientTest, KeepsTheLimitOfItsSettings) {
    client::Settings settings{url_};
    settings.max_input_bytes = 10;
    client::Client jobs(settings);

    EXPECT_THAT(error_of([&] { jobs.enqueue("pay", std::string(11, '1')); }).what(),
                HasSubstr("the limit is 10"));
}

TEST_F(ClientTest, IsSharedByThreads) {
    client::Client jobs({url_});
    std::vector<std::vector<std::int64_t>> ids(4);

    std::vector<std::thread> threads;
    for (auto& own : ids) {
        threads.emplace_back([&jobs, &own] {
            for (int i = 0; i < 25; ++i) own.push_back(jobs.enqueue("pay", "1").id);
        });
    }
    for (std::thread& thread : threads) thread.join();

    std::set<std::int64_t> all;
    for (const auto& own : ids) all.insert(own.begin(), own.end());
    EXPECT_EQ(all.size(), 100U);
}

}  // namespace
}  // namespace jobhost
