#include <latch>
#include <thread>

#include "tests/conformance/storage_fixture.h"

namespace jobhost::testing_support {
namespace {

using namespace std::chrono_literals;

TEST_P(StorageTest, AListenerHearsOfJobsThatCameBeforeItWaited) {
    const auto listener = handle_->open_listener();
    while (listener->wait(0s)) {
    }

    enqueue({.type = "a"});

    EXPECT_TRUE(listener->wait(0s));
    EXPECT_FALSE(listener->wait(0s));
}

TEST_P(StorageTest, ASleepingListenerIsWokenByAnEnqueueOfAnotherSession) {
    const auto listener = handle_->open_listener();
    while (listener->wait(0s)) {
    }
    std::latch begins(1);
    bool heard = false;
    std::thread sleeper([&] {
        begins.count_down();
        heard = listener->wait(20s);
    });
    begins.wait();

    enqueue({.type = "a"});
    sleeper.join();

    EXPECT_TRUE(heard);
}

TEST_P(StorageTest, AListenerGivesUpWhenNothingHappens) {
    const auto listener = handle_->open_listener();
    while (listener->wait(0s)) {
    }

    EXPECT_FALSE(listener->wait(1ms));
}

TEST_P(StorageTest, AResumedQueueIsNews) {
    store_->pause(Pause::Kind::kQueue, "default", "", "ann");
    const auto listener = handle_->open_listener();
    while (listener->wait(0s)) {
    }

    store_->resume(Pause::Kind::kQueue, "default", "");

    EXPECT_TRUE(listener->wait(0s));
}

}  // namespace
}  // namespace jobhost::testing_support
