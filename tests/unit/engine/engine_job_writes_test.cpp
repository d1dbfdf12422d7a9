#include <future>
#include <latch>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/engine/engine_fixture.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class EngineJobWrites : public EngineTest {};

TEST_F(EngineJobWrites, JobsForItsSuccessAreStoredWithItAndOnlyThen) {
    std::latch asked(1);
    std::latch go(1);
    add_type(
        types, "a",
        [&](RunContext& context) -> RunResult {
            const Asked kept = context.enqueue_on_success({.type = "b"});
            if (kept.status != AskStatus::kDone) return Threw{thrown("NotKept")};
            if (context.job().attempt == 1) return Threw{thrown("Down")};
            asked.count_down();
            go.wait();
            return Returned{};
        },
        retry_at_once());
    const JobId id = enqueue();
    start();
    asked.wait();

    EXPECT_EQ(store.session().count_jobs({.type = "b"}, 10), 0);
    go.count_down();
    ASSERT_TRUE(settle());

    const JobPage made = store.session().list_jobs({.type = "b"}, 10, "");
    ASSERT_EQ(made.jobs.size(), 1U);
    EXPECT_EQ(made.jobs[0].source, "job:" + std::to_string(id));
    EXPECT_EQ(job(id).state, JobState::kSucceeded);
}

TEST_F(EngineJobWrites, ASuccessThatCanNeverBeStoredIsTheJobsFailure) {
    enqueue({.type = "b", .idempotency_key = "taken"});
    add_type(
        types, "a",
        [](RunContext& context) -> RunResult {
            context.enqueue_on_success({.type = "b",
                                        .idempotency_key = "taken",
                                        .on_duplicate = OnDuplicate::kRejectAlways});
            return Returned{};
        },
        retry_at_once(2));
    const JobId finished = enqueue();
    // A key that a terminal job holds is refused under kRejectAlways.
    for (const Job& holder : store.session().list_jobs({.type = "b"}, 1, "").jobs) {
        store.session().cancel_job(holder.id, "ana");
    }
    start();

    ASSERT_TRUE(settle());

    const Job failed = job(finished);
    EXPECT_EQ(failed.state, JobState::kFailed);
    EXPECT_EQ(failed.attempts, 2);
    EXPECT_THAT(failed.last_error->message, HasSubstr("its success could not be stored"));
    EXPECT_EQ(events.count("write_refused"), 2U);
}

TEST_F(EngineJobWrites, ACheckpointIsDurableWhenAnsweredAndTheNextAttemptSeesIt) {
    std::promise<void> saved;
    std::latch go(1);
    std::optional<std::string> seen;
    add_type(
        types, "a",
        [&](RunContext& context) -> RunResult {
            if (context.job().attempt == 2) {
                seen = context.job().checkpoint;
                return Returned{};
            }
            if (context.save_checkpoint(R"({"page":7})").status == AskStatus::kDone) {
                saved.set_value();
            }
            go.wait();
            return Threw{thrown("Down")};
        },
        retry_at_once());
    const JobId id = enqueue();
    start();
    saved.get_future().wait();

    EXPECT_EQ(job(id).checkpoint, R"({"page":7})");
    go.count_down();
    ASSERT_TRUE(settle());

    EXPECT_EQ(seen, R"({"page":7})");
}

TEST_F(EngineJobWrites, AJobEnqueuesAnotherAtOnceUnderTheRulesOfItsKey) {
    Asked first;
    Asked second;
    add_type(types, "a", [&](RunContext& context) -> RunResult {
        first = context.enqueue({.type = "b", .idempotency_key = "k"});
        second = context.enqueue({.type = "b", .idempotency_key = "k"});
        return Returned{};
    });
    enqueue();
    start();

    ASSERT_TRUE(settle());

    EXPECT_EQ(first.status, AskStatus::kDone);
    EXPECT_FALSE(first.duplicate);
    EXPECT_TRUE(second.duplicate);
    EXPECT_EQ(second.id, first.id);
    EXPECT_EQ(job(first.id).state, JobState::kEnqueued);
}

}  // namespace
}  // namespace jobhost
