// What a job finds in its context and may do with it.

#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <jobhost/json.hpp>
#include <jobhost/testing.hpp>

namespace {

using namespace std::chrono_literals;
using jobhost::CancelReason;
using jobhost::JobContext;
using jobhost::testing::Outcome;
using jobhost::testing::RunResult;
using jobhost::testing::RunSetup;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Runs a lambda as a job.
template <class Body>
RunResult run_body(const RunSetup& setup, Body body) {
    struct Job : jobhost::Job<> {
        explicit Job(Body to_run) : run_it(std::move(to_run)) {}
        void execute(JobContext& ctx) override { run_it(ctx); }
        Body run_it;
    };
    return jobhost::testing::run<Job>(setup, [body] { return std::make_unique<Job>(body); });
}

TEST(JobContext, ShowsTheJobsFields) {
    const RunSetup setup{.attempt = 2,
                         .max_attempts = 5,
                         .checkpoint = "{\"page\": 3}",
                         .tags = {"vip", "eu"},
                         .queue = "critical",
                         .priority = jobhost::Priority::kHigh,
                         .traceparent = "00-1-2-01",
                         .id = 77,
                         .fence = 9};
    const RunResult result = run_body(setup, [](JobContext& ctx) {
        EXPECT_EQ(ctx.id(), 77);
        EXPECT_EQ(ctx.type(), "test.job");
        EXPECT_EQ(ctx.queue(), "critical");
        EXPECT_EQ(ctx.priority(), jobhost::Priority::kHigh);
        EXPECT_EQ(ctx.attempt(), 2);
        EXPECT_EQ(ctx.max_attempts(), 5);
        EXPECT_EQ(ctx.max_attempts_requested(), std::nullopt);
        EXPECT_EQ(ctx.fence(), 9);
        EXPECT_EQ(ctx.traceparent(), "00-1-2-01");
        EXPECT_THAT(ctx.tags(), ElementsAre("vip", "eu"));
        EXPECT_EQ(ctx.checkpoint(), "{\"page\": 3}");
        EXPECT_EQ(ctx.finished_at(), std::nullopt);
    });

    EXPECT_TRUE(result.succeeded()) << result;
}

TEST(JobContext, RecordsLogProgressAndCheckpoints) {
    const RunResult result = run_body({}, [](JobContext& ctx) {
        ctx.log("started");
        ctx.log(jobhost::LogLevel::kWarning, "slow");
        ctx.progress(50, "half");
        ctx.save_checkpoint("1");
        ctx.save_checkpoint("2");
    });

    ASSERT_EQ(result.log.size(), 2U);
    EXPECT_EQ(result.log[0].level, jobhost::LogLevel::kInfo);
    EXPECT_EQ(result.log[1].level, jobhost::LogLevel::kWarning);
    EXPECT_TRUE(result.logged("slow"));
    ASSERT_EQ(result.progress.size(), 1U);
    EXPECT_EQ(result.progress[0].percent, 50);
    EXPECT_THAT(result.checkpoints, ElementsAre("1", "2"));
}

TEST(JobContext, MayBeUsedFromSeveralThreads) {
    const RunResult result = run_body({}, [](JobContext& ctx) {
        std::thread other([&] {
            for (int i = 0; i < 100; ++i) ctx.log("other");
        });
        for (int i = 0; i < 100; ++i) ctx.log("own");
        other.join();
    });

    EXPECT_EQ(result.log.size(), 200U);
}

TEST(Checkpoint, IsReadAsItsType) {
    const auto body = [](JobContext& ctx) {
        ctx.log(std::to_string(ctx.checkpoint<int>().value_or(-1)));
    };

    EXPECT_TRUE(run_body({.checkpoint = "4"}, body).logged("4"));
    EXPECT_TRUE(run_body({}, body).logged("-1"));
}

TEST(Checkpoint, ThatCannotBeStoredFailsTheRun) {
    const RunResult result = run_body({.refuse_checkpoint = JOBHOST_UNAVAILABLE},
                                      [](JobContext& ctx) { ctx.save_checkpoint("1"); });

    EXPECT_EQ(result.error.value().type, "jobhost::HostError");
    EXPECT_THAT(result.checkpoints, IsEmpty());
}

TEST(Checkpoint, LeavesTheRunWhenTheLeaseIsLost) {
    const RunResult result =
        run_body({.cancel = CancelReason::kLeaseLost, .refuse_checkpoint = JOBHOST_ERROR},
                 [](JobContext& ctx) { ctx.save_checkpoint("1"); });

    EXPECT_EQ(result.outcome, Outcome::kCancelled);
}

TEST(EnqueueFromAJob, HandsOverEveryOption) {
    const jobhost::Enqueue wanted{.type = "mail.send",
                                  .input = "{\"to\": \"a\"}",
                                  .queue = "mail",
                                  .priority = jobhost::Priority::kLow,
                                  .max_attempts = 3,
                                  .delay = 5s,
                                  .deadline_after = 1h,
                                  .timeout = 30s,
                                  .tags = {"x"},
                                  .idempotency_key = "k",
                                  .on_duplicate = jobhost::OnDuplicate::kRejectAlways,
                                  .after = 12,
                                  .on_parent_failed = jobhost::OnParentFailed::kRun,
                                  .traceparent = "t"};
    const RunResult result =
        run_body({}, [&](JobContext& ctx) { EXPECT_GT(ctx.enqueue(wanted).id, 0); });

    ASSERT_EQ(result.enqueued.size(), 1U) << result;
    const jobhost::Enqueue& got = result.enqueued[0];
    EXPECT_EQ(got.type, "mail.send");
    EXPECT_EQ(got.input, "{\"to\": \"a\"}");
    EXPECT_EQ(got.queue, "mail");
    EXPECT_EQ(got.priority, jobhost::Priority::kLow);
    EXPECT_EQ(got.max_attempts, 3);
    EXPECT_EQ(got.delay, 5s);
    EXPECT_EQ(got.run_at, std::nullopt);
    EXPECT_EQ(got.deadline_after, 1h);
    EXPECT_EQ(got.deadline_at, std::nullopt);
    EXPECT_EQ(got.timeout, 30s);
    EXPECT_THAT(got.tags, ElementsAre("x"));
    EXPECT_EQ(got.idempotency_key, "k");
    EXPECT_EQ(got.on_duplicate, jobhost::OnDuplicate::kRejectAlways);
    EXPECT_EQ(got.after, 12);
    EXPECT_EQ(got.on_parent_failed, jobhost::OnParentFailed::kRun);
    EXPECT_EQ(got.traceparent, "t");
}

TEST(EnqueueFromAJob, LeavesWhatIsNotSetUnset) {
    const RunResult result =
        run_body({}, [](JobContext& ctx) { ctx.enqueue({.type = "mail.send"}); });

    const jobhost::Enqueue& got = result.enqueued.at(0);
    EXPECT_EQ(got.priority, std::nullopt);
    EXPECT_EQ(got.max_attempts, std::nullopt);
    EXPECT_EQ(got.delay, std::nullopt);
    EXPECT_EQ(got.timeout, std::nullopt);
}

TEST(EnqueueFromAJob, KeepsTimesToTheMicrosecond) {
    const auto moment = std::chrono::system_clock::time_point(1'700'000'000'123'456us);
    const RunResult result = run_body({}, [&](JobContext& ctx) {
        ctx.enqueue({.type = "a", .run_at = moment, .deadline_at = moment + 1s});
    });

    EXPECT_EQ(result.enqueued.at(0).run_at, moment);
    EXPECT_EQ(result.enqueued.at(0).deadline_at, moment + 1s);
}

TEST(EnqueueFromAJob, FailsTheRunWhenItIsRefused) {
    const RunResult result = run_body({.refuse_enqueue = JOBHOST_CONFLICT},
                                      [](JobContext& ctx) { ctx.enqueue({.type = "mail.send"}); });

    EXPECT_EQ(result.error.value().type, "jobhost::HostError");
    EXPECT_THAT(result.error.value().message, HasSubstr("mail.send"));
}

TEST(EnqueueOnSuccess, IsDroppedWhenTheJobFails) {
    const auto body = [](bool fail) {
        return [fail](JobContext& ctx) {
            ctx.enqueue_on_success({.type = "next"});
            if (fail) throw std::runtime_error("too bad");
        };
    };

    EXPECT_EQ(run_body({}, body(false)).enqueued_on_success.size(), 1U);
    EXPECT_EQ(run_body({}, body(true)).enqueued_on_success.size(), 0U);
}

TEST(Cancellation, IsSeenAtTheChosenLook) {
    const RunResult result =
        run_body({.cancel = CancelReason::kShutdown, .cancel_at_look = 3}, [](JobContext& ctx) {
            for (int i = 0; i < 10; ++i) {
                ctx.throw_if_cancelled();
                ctx.log("looked");
            }
        });

    EXPECT_EQ(result.outcome, Outcome::kCancelled);
    EXPECT_EQ(result.log.size(), 2U);
    EXPECT_EQ(result.looks, 3);
}

TEST(Cancellation, EndsASleepEarly) {
    const RunResult result =
        run_body({.cancel = CancelReason::kOperator}, [](JobContext& ctx) { ctx.sleep_for(1h); });

    EXPECT_EQ(result.outcome, Outcome::kCancelled);
    EXPECT_EQ(result.waited, 0s);
}

TEST(Cancellation, ThatNobodyLookedAtDoesNotMatter) {
    const RunResult result = run_body({.cancel = CancelReason::kShutdown}, [](JobContext&) {});

    EXPECT_TRUE(result.succeeded());
}

TEST(Cancellation, ThatWasSeenInterruptsAnOrdinaryReturn) {
    const RunResult result = run_body({.cancel = CancelReason::kShutdown},
                                      [](JobContext& ctx) { EXPECT_TRUE(ctx.is_cancelled()); });

    EXPECT_EQ(result.outcome, Outcome::kCancelled);
}

TEST(Cancellation, DoesNotUndoCompletedWork) {
    const RunResult result = run_body({.cancel = CancelReason::kShutdown}, [](JobContext& ctx) {
        EXPECT_TRUE(ctx.is_cancelled());
        EXPECT_TRUE(ctx.complete());
    });

    EXPECT_TRUE(result.succeeded()) << result;
}

TEST(Timeout, FailsTheRunAndKeepsWhatItThrewAsTheCause) {
    const RunResult result = run_body({.cancel = CancelReason::kTimeout}, [](JobContext& ctx) {
        EXPECT_EQ(ctx.cancel_reason(), CancelReason::kTimeout);
        EXPECT_FALSE(ctx.complete());
        throw std::runtime_error("half done");
    });

    EXPECT_EQ(result.outcome, Outcome::kFailed);
    EXPECT_TRUE(result.error.value().is<jobhost::TimeoutError>());
    EXPECT_EQ(result.error.value().causes.at(0).message, "half done");
}

TEST(Sleep, TakesNoTimeInATest) {
    const RunResult result = run_body({}, [](JobContext& ctx) { ctx.sleep_for(24h); });

    EXPECT_TRUE(result.succeeded());
    EXPECT_EQ(result.waited, 24h);
}

TEST(Settings, AreReadAsTheirType) {
    const RunResult result = run_body({.settings = "[1, 2]"}, [](JobContext& ctx) {
        EXPECT_EQ(ctx.settings(), "[1, 2]");
        EXPECT_THAT(ctx.settings<std::vector<int>>(), ElementsAre(1, 2));
    });

    EXPECT_TRUE(result.succeeded()) << result;
}

}  // namespace
