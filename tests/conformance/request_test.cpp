// What operators ask of a running node, and its answer.
#include "tests/conformance/storage_fixture.h"
#include "tests/conformance/store_worker.h"

namespace jobhost::testing_support {
namespace {

using Kind = NodeRequest::Kind;

TEST_P(StorageTest, ALiveNodeIsAskedOnceAndToldWhatAndByWhom) {
    StoreWorker worker(*store_, "a", {"pay"});

    const auto request =
        store_->ask_node(worker.node(), Kind::kExplain, R"({"type":"pay"})", "ann");
    ASSERT_TRUE(request.has_value());
    worker.claim(1);
    worker.claim(1);

    ASSERT_EQ(worker.requests().size(), 1U);
    EXPECT_EQ(worker.requests()[0].id, *request);
    EXPECT_EQ(worker.requests()[0].kind, Kind::kExplain);
    EXPECT_EQ(worker.requests()[0].argument, R"({"type":"pay"})");
    EXPECT_EQ(worker.requests()[0].by, "ann");
}

TEST_P(StorageTest, OnlyTheNodeThatIsMeantIsAsked) {
    const std::unique_ptr<Store> second_session = session();
    StoreWorker first(*store_, "a", {"pay"});
    StoreWorker second(*second_session, "b", {"pay"});

    store_->ask_node(second.node(), Kind::kReload, "", "ann");
    first.claim(1);
    second.claim(1);

    EXPECT_TRUE(first.requests().empty());
    EXPECT_EQ(second.requests().size(), 1U);
}

TEST_P(StorageTest, ADeadOrUnknownNodeIsNotAsked) {
    StoreWorker dead(*store_, "a", {"pay"});
    dead.die();

    EXPECT_FALSE(store_->ask_node(dead.node(), Kind::kReload, "", "ann").has_value());
    EXPECT_FALSE(store_->ask_node(999, Kind::kReload, "", "ann").has_value());
}

TEST_P(StorageTest, AnAnswerIsGivenOutOnceToWhoAsked) {
    StoreWorker worker(*store_, "a", {"pay"});
    const std::unique_ptr<Store> asker = session();
    const auto first = asker->ask_node(worker.node(), Kind::kReload, "", "ann");
    const auto second = asker->ask_node(worker.node(), Kind::kReload, "", "bob");
    ASSERT_TRUE(first && second);
    EXPECT_FALSE(asker->take_answer(*first).has_value());

    store_->answer_request(*first, {.ok = true, .body = R"({"changes":[]})"});
    store_->answer_request(*second, {.ok = false, .body = "{}"});

    const auto answer = asker->take_answer(*first);
    ASSERT_TRUE(answer.has_value());
    EXPECT_TRUE(answer->ok);
    EXPECT_EQ(answer->body, R"({"changes":[]})");
    EXPECT_FALSE(asker->take_answer(*first).has_value());
    ASSERT_TRUE(asker->take_answer(*second).has_value());
}

TEST_P(StorageTest, AnAnswerWakesWhoWaitsForIt) {
    StoreWorker worker(*store_, "a", {"pay"});
    const auto request = store_->ask_node(worker.node(), Kind::kReload, "", "ann");
    const std::unique_ptr<ChangeListener> listener = handle_->open_listener();
    while (listener->wait(std::chrono::milliseconds(1))) {
    }

    store_->answer_request(*request, {.ok = true, .body = "{}"});

    EXPECT_TRUE(listener->wait(std::chrono::seconds(10)));
}

TEST_P(StorageTest, AnswersThatNobodyTookGoAfterTenMinutes) {
    StoreWorker worker(*store_, "a", {"pay"});
    const auto old = store_->ask_node(worker.node(), Kind::kReload, "", "ann");
    const auto later = store_->ask_node(worker.node(), Kind::kReload, "", "ann");
    store_->answer_request(*old, {.ok = true, .body = "{}"});

    clock_.advance(std::chrono::minutes(11));
    store_->answer_request(*later, {.ok = true, .body = "{}"});

    EXPECT_FALSE(store_->take_answer(*old).has_value());
    EXPECT_TRUE(store_->take_answer(*later).has_value());
}

TEST_P(StorageTest, ANodeSaysWhichQueuesItWorksOnFromNowOn) {
    StoreWorker worker(*store_, "a", {"pay"});

    const std::vector<std::string> queues = {"fast", "slow"};
    store_->set_queues(worker.node(), queues);

    EXPECT_EQ(store_->nodes().at(0).registration.queues, queues);
}

}  // namespace
}  // namespace jobhost::testing_support
