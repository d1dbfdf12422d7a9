#include "host/engine/write_queue.h"

#include <thread>

#include <gtest/gtest.h>

#include "tests/support/fake_clock.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

PendingWrite checkpoint(JobId job) {
    SaveCheckpoint write;
    write.lease.job = job;
    return {.write = write};
}

JobId job_of(const PendingWrite& write) {
    return std::get<SaveCheckpoint>(write.write).lease.job;
}

TEST(WriteQueue, GivesOutTheOldestFirstAndAtMostAsManyAsAsked) {
    WriteQueue queue;
    for (JobId job = 1; job <= 3; ++job) ASSERT_TRUE(queue.push(checkpoint(job)));

    const auto first = queue.take(2);
    const auto rest = queue.take(2);

    ASSERT_EQ(first.size(), 2U);
    EXPECT_EQ(job_of(first[0]), 1);
    EXPECT_EQ(job_of(first[1]), 2);
    ASSERT_EQ(rest.size(), 1U);
    EXPECT_EQ(job_of(rest[0]), 3);
    EXPECT_EQ(queue.size(), 0U);
}

TEST(WriteQueue, FillsUpWhatCouldNotBeStoredBefore) {
    WriteQueue queue;
    for (JobId job = 2; job <= 4; ++job) ASSERT_TRUE(queue.push(checkpoint(job)));
    std::vector<PendingWrite> kept;
    kept.push_back(checkpoint(1));

    const auto first = queue.take(3, std::move(kept));
    const auto rest = queue.take(3, {});

    ASSERT_EQ(first.size(), 3U);
    EXPECT_EQ(job_of(first[0]), 1);
    EXPECT_EQ(job_of(first[2]), 3);
    ASSERT_EQ(rest.size(), 1U);
    EXPECT_EQ(job_of(rest[0]), 4);
}

TEST(WriteQueue, TakesNothingOverOnceClosedAndDropsWhatWaited) {
    WriteQueue queue;
    ASSERT_TRUE(queue.push(checkpoint(1)));

    queue.close();

    EXPECT_EQ(queue.size(), 0U);
    EXPECT_FALSE(queue.push(checkpoint(2)));
    FakeClock clock;
    EXPECT_FALSE(queue.ask(SaveCheckpoint{}, clock, 1h).has_value());
}

TEST(WriteQueue, WakeBeforeTheWaitIsNotLost) {
    WriteQueue queue;

    queue.wake();

    queue.wait_until(SteadyPoint::max());
}

TEST(WriteQueue, PushEndsAWait) {
    WriteQueue queue;
    std::thread pusher([&] { queue.push(checkpoint(1)); });

    queue.wait_until(SteadyPoint::max());

    EXPECT_EQ(queue.size(), 1U);
    pusher.join();
}

TEST(WriteQueue, AskAnswersWhatTheStoreSaid) {
    WriteQueue queue;
    FakeClock clock;
    std::optional<WriteAnswer> answer;
    std::thread asker([&] { answer = queue.ask(SaveCheckpoint{}, clock, 30s); });
    queue.wait_until(SteadyPoint::max());
    auto taken = queue.take(10);
    ASSERT_EQ(taken.size(), 1U);

    taken[0].answered({.outcome = WriteAnswer::Outcome::kRefused, .reason = "no"});
    asker.join();

    EXPECT_EQ(taken[0].give_up_at, clock.steady_now() + 30s);
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->outcome, WriteAnswer::Outcome::kRefused);
    EXPECT_EQ(answer->reason, "no");
}

TEST(WriteQueue, AskEndsWithoutAnAnswerWhenItsWriteIsDropped) {
    WriteQueue queue;
    FakeClock clock;
    std::optional<WriteAnswer> answer = WriteAnswer{};
    std::thread asker([&] { answer = queue.ask(SaveCheckpoint{}, clock, 30s); });
    queue.wait_until(SteadyPoint::max());

    queue.take(10).clear();
    asker.join();

    EXPECT_FALSE(answer.has_value());
}

TEST(WriteQueue, CloseEndsAWaitForAnAnswer) {
    WriteQueue queue;
    FakeClock clock;
    std::optional<WriteAnswer> answer = WriteAnswer{};
    std::thread asker([&] { answer = queue.ask(SaveCheckpoint{}, clock, 30s); });
    queue.wait_until(SteadyPoint::max());

    queue.close();
    asker.join();

    EXPECT_FALSE(answer.has_value());
}

}  // namespace
}  // namespace jobhost
