#include <stdexcept>

#include <gmock/gmock.h>
#include <jobhost/json.hpp>
#include <jobhost/testing.hpp>

namespace {

using jobhost::DeadLetterContext;
using jobhost::Error;
using jobhost::FailedJob;
using jobhost::testing::Outcome;
using jobhost::testing::run_dead_letter;
using jobhost::testing::run_forwarder;
using jobhost::testing::RunResult;
using ::testing::ElementsAre;

struct Charge : jobhost::Job<> {
    void execute(jobhost::JobContext&) override {}
};

struct Refund : jobhost::DeadLetterHandler<Charge> {
    void handle(const FailedJob& job, const Error& error, DeadLetterContext& ctx) override {
        EXPECT_EQ(job.state(), "failed");
        EXPECT_EQ(job.attempts(), 5);
        EXPECT_EQ(job.reason(), "exhausted");
        EXPECT_THAT(job.input<std::vector<int>>(), ElementsAre(7));
        EXPECT_EQ(error.type(), "std::out_of_range");
        EXPECT_THAT(error.types(),
                    ElementsAre("std::out_of_range", "std::logic_error", "std::exception"));
        EXPECT_TRUE(error.is<std::logic_error>());
        EXPECT_FALSE(error.is<std::runtime_error>());
        EXPECT_EQ(error.message(), "index 7");
        ctx.log("refunding");
        ctx.enqueue({.type = "refund"});
    }
};

struct LooksForCancellation : jobhost::DeadLetterHandler<Charge> {
    void handle(const FailedJob&, const Error&, jobhost::CancellationToken token) override {
        token.throw_if_cancelled();
    }
};

struct Throws : jobhost::DeadLetterHandler<Charge> {
    void handle(const FailedJob&, const Error&, jobhost::CancellationToken) override { throw 42; }
};

struct Forgot : jobhost::DeadLetterHandler<Charge> {};

struct Audit : jobhost::Forwarder {
    bool applies_to(const FailedJob& job) override {
        if (job.type() == "broken") throw std::runtime_error("cannot tell");
        return job.type() == "payments.process";
    }
    void forward(const FailedJob&, const Error& error, DeadLetterContext& ctx) override {
        ctx.log(error.message());
    }
};

TEST(DeadLetterHandler, SeesTheJobAndItsErrorAndMayLogAndEnqueue) {
    const RunResult result = run_dead_letter<Refund>(
        std::out_of_range("index 7"), {.input = "[7]", .attempt = 5, .reason = "exhausted"});

    EXPECT_TRUE(result.succeeded()) << result;
    EXPECT_TRUE(result.logged("refunding"));
    EXPECT_EQ(result.enqueued.at(0).type, "refund");
}

TEST(DeadLetterHandler, MayTakeACancellationTokenInstead) {
    EXPECT_TRUE(run_dead_letter<LooksForCancellation>(std::runtime_error("x")).succeeded());

    const RunResult cancelled = run_dead_letter<LooksForCancellation>(
        std::runtime_error("x"), {.cancel = jobhost::CancelReason::kTimeout});

    EXPECT_EQ(cancelled.outcome, Outcome::kFailed);
}

TEST(DeadLetterHandler, ThatThrowsIsReported) {
    const RunResult result = run_dead_letter<Throws>(std::runtime_error("x"));

    EXPECT_EQ(result.outcome, Outcome::kFailed);
    EXPECT_EQ(result.error.value().type, "int");
}

TEST(DeadLetterHandler, ThatOverridesNothingSaysSo) {
    const RunResult result = run_dead_letter<Forgot>(std::runtime_error("x"));

    EXPECT_THAT(result.error.value().message, ::testing::HasSubstr("does not override"));
}

TEST(DeadLetterHandler, ComesFromAFactory) {
    const RunResult result = run_dead_letter<Refund>(
        std::out_of_range("index 7"), {.input = "[7]", .attempt = 5, .reason = "exhausted"},
        [] { return std::make_shared<Refund>(); });

    EXPECT_TRUE(result.succeeded()) << result;
}

TEST(Forwarder, RunsOnlyForJobsThatItAppliesTo) {
    const RunResult applied = run_forwarder<Audit>("payments.process", std::runtime_error("late"));
    const RunResult other = run_forwarder<Audit>("mail.send", std::runtime_error("late"));

    EXPECT_TRUE(applied.applied);
    EXPECT_TRUE(applied.logged("late"));
    EXPECT_FALSE(other.applied);
    EXPECT_TRUE(other.log.empty());
}

TEST(Forwarder, ThatCannotTellWhetherItAppliesIsReported) {
    const RunResult result = run_forwarder<Audit>("broken", std::runtime_error("late"));

    EXPECT_EQ(result.outcome, Outcome::kFailed);
    EXPECT_EQ(result.error.value().message, "cannot tell");
}

}  // namespace
