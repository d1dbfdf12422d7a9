#include "host/engine/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/engine/engine_parts.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class RunTest : public testing::Test {
protected:
    RunTest() {
        PolicyLevel policy;
        policy.timeout = 60s;
        add_type(
            parts.types, "a", [](RunContext&) -> RunResult { return Returned{}; }, policy);
        plan = parts.plan();
    }

    std::shared_ptr<jobhost::Run> begun(ClaimedJob job = EngineParts::claimed(1)) {
        auto run = parts.run_of(plan, std::move(job));
        run->begin(parts.clock.steady_now());
        return run;
    }

    StopCause end_cause(jobhost::Run& run) {
        const auto end = run.finish(Returned{}, parts.clock.steady_now());
        return end ? end->cause : StopCause::kLeaseLost;
    }

    EngineParts parts;
    std::shared_ptr<const Plan> plan;
};

// ---- SPEC 5: the first cause wins, once per run

TEST_F(RunTest, TheFirstCauseStays) {
    for (const StopCause first :
         {StopCause::kTimeout, StopCause::kShutdown, StopCause::kOperator}) {
        for (const StopCause second :
             {StopCause::kTimeout, StopCause::kShutdown, StopCause::kOperator}) {
            const auto run = begun();
            EXPECT_TRUE(run->request_stop(first, "ana"));
            EXPECT_FALSE(run->request_stop(second, "ben"));

            const auto end = run->finish(Returned{}, parts.clock.steady_now());

            ASSERT_TRUE(end.has_value());
            EXPECT_EQ(end->cause, first);
            EXPECT_EQ(end->cancelled_by, "ana");
        }
    }
}

TEST_F(RunTest, ALostLeaseBeatsEveryCauseAndCompletion) {
    for (const StopCause first :
         {StopCause::kNone, StopCause::kTimeout, StopCause::kShutdown, StopCause::kOperator}) {
        const auto run = begun();
        if (first == StopCause::kNone) run->complete();
        if (first != StopCause::kNone) run->request_stop(first);

        EXPECT_TRUE(run->request_stop(StopCause::kLeaseLost));
        EXPECT_FALSE(run->request_stop(StopCause::kLeaseLost)) << "said once";

        EXPECT_FALSE(run->finish(Returned{}, parts.clock.steady_now()).has_value());
    }
}

TEST_F(RunTest, NothingChangesAnOutcomeThatIsFixed) {
    const auto run = begun();
    ASSERT_TRUE(run->finish(Returned{}, parts.clock.steady_now()).has_value());

    EXPECT_FALSE(run->request_stop(StopCause::kOperator, "ana"));
    EXPECT_FALSE(run->request_stop(StopCause::kLeaseLost));
    EXPECT_FALSE(run->finish(Returned{}, parts.clock.steady_now()).has_value());
    EXPECT_FALSE(run->give_up().has_value());
}

TEST_F(RunTest, CompleteBeforeAnyCauseFixesSuccess) {
    const auto run = begun();
    EXPECT_TRUE(run->complete());
    parts.clock.advance(61s);
    run->request_stop(StopCause::kShutdown);

    const auto end = run->finish(Threw{thrown("Down")}, parts.clock.steady_now());

    ASSERT_TRUE(end.has_value());
    EXPECT_TRUE(end->completed);
}

TEST_F(RunTest, CompleteAfterTheTimeLimitIsTooLate) {
    const auto run = begun();
    run->request_stop(StopCause::kTimeout);
    EXPECT_FALSE(run->complete());

    const auto end = run->finish(Returned{}, parts.clock.steady_now());

    ASSERT_TRUE(end.has_value());
    EXPECT_FALSE(end->completed);
}

TEST_F(RunTest, CompleteAfterAShutdownOrAnOperatorsRequestStillMakesItASuccess) {
    for (const StopCause cause : {StopCause::kShutdown, StopCause::kOperator}) {
        const auto run = begun();
        run->request_stop(cause);
        EXPECT_EQ(run->stop_cause(), cause);
        EXPECT_TRUE(run->complete());

        const auto end = run->finish(Returned{}, parts.clock.steady_now());

        ASSERT_TRUE(end.has_value());
        EXPECT_TRUE(end->completed);
    }
}

TEST_F(RunTest, ACompletedRunIsNotTimedOut) {
    const auto run = begun();
    run->complete();
    parts.clock.advance(60s);

    run->check(parts.clock.steady_now());

    EXPECT_EQ(run->cause_now(), StopCause::kNone);
    EXPECT_EQ(parts.events.count("timeout_reached"), 0U);
}

TEST_F(RunTest, OnlyAJobThatLookedSawTheRequest) {
    const auto blind = begun();
    blind->request_stop(StopCause::kShutdown);
    const auto looked_before = begun();
    EXPECT_EQ(looked_before->stop_cause(), StopCause::kNone);
    looked_before->request_stop(StopCause::kShutdown);
    const auto looked = begun();
    looked->request_stop(StopCause::kShutdown);
    EXPECT_EQ(looked->stop_cause(), StopCause::kShutdown);
    const auto waited = begun();
    waited->request_stop(StopCause::kShutdown);
    EXPECT_EQ(waited->wait(1h), StopCause::kShutdown);

    EXPECT_FALSE(blind->finish(Returned{}, parts.clock.steady_now())->saw_stop);
    EXPECT_FALSE(looked_before->finish(Returned{}, parts.clock.steady_now())->saw_stop);
    EXPECT_TRUE(looked->finish(Returned{}, parts.clock.steady_now())->saw_stop);
    EXPECT_TRUE(waited->finish(Returned{}, parts.clock.steady_now())->saw_stop);
}

TEST_F(RunTest, GivenUpItsCodeMayStillEndAndChangesNothing) {
    const auto run = begun();
    run->request_stop(StopCause::kShutdown);

    const auto end = run->give_up();

    ASSERT_TRUE(end.has_value());
    EXPECT_EQ(end->cause, StopCause::kShutdown);
    EXPECT_TRUE(std::holds_alternative<LeftEarly>(end->result));
    EXPECT_FALSE(run->finish(Returned{}, parts.clock.steady_now()).has_value());
}

TEST_F(RunTest, GivenUpPastItsTimeLimitIsATimeout) {
    const auto run = begun();
    parts.clock.advance(60s);

    const auto end = run->give_up();

    ASSERT_TRUE(end.has_value());
    EXPECT_EQ(end->cause, StopCause::kTimeout);
}

// ---- the time limit

TEST_F(RunTest, TheLimitCountsFromTheStartToTheMicrosecond) {
    const auto in_time = begun();
    const auto late = begun();

    parts.clock.advance(59'999'999us);
    EXPECT_EQ(end_cause(*in_time), StopCause::kNone);
    parts.clock.advance(1us);
    EXPECT_EQ(end_cause(*late), StopCause::kTimeout);
}

TEST_F(RunTest, TheWatchdogRequestsTheStopAtTheLimitAndSaysItOnce) {
    const auto run = begun();

    run->check(parts.clock.steady_now() + 59s);
    EXPECT_EQ(run->stop_cause(), StopCause::kNone);
    run->check(parts.clock.steady_now() + 60s);
    run->check(parts.clock.steady_now() + 61s);

    EXPECT_EQ(run->stop_cause(), StopCause::kTimeout);
    EXPECT_EQ(parts.events.count("timeout_reached"), 1U);
    EXPECT_EQ(parts.events.last("timeout_reached").time, 60s);
}

TEST_F(RunTest, TheReasonToStopIsToldToTheStoreAtOnce) {
    const auto run = begun();

    run->check(parts.clock.steady_now() + 60s);

    const PendingWrite write = parts.next_write();
    EXPECT_EQ(std::get<RunNote>(write.write).stopping, "its time limit of 60 s has passed");
}

TEST_F(RunTest, TheEnqueuersLimitBeatsThatOfTheTypeAndZeroMeansNone) {
    ClaimedJob shorter = EngineParts::claimed(1);
    shorter.timeout_requested = 999ms;
    ClaimedJob none = EngineParts::claimed(2);
    none.timeout_requested = 0s;
    const auto short_run = begun(shorter);
    const auto endless = begun(none);

    parts.clock.advance(999ms);
    EXPECT_EQ(end_cause(*short_run), StopCause::kTimeout);
    parts.clock.advance(10'000h);
    EXPECT_EQ(end_cause(*endless), StopCause::kNone);
}

TEST_F(RunTest, IgnoredCancellationIsSaidOnceTenSecondsAfterTheRequest) {
    const auto run = begun();
    parts.clock.advance(3s);
    run->request_stop(StopCause::kOperator, "ana");

    parts.clock.advance(9'999'999us);
    run->check(parts.clock.steady_now());
    EXPECT_EQ(parts.events.count("cancellation_ignored"), 0U);
    parts.clock.advance(1us);
    run->check(parts.clock.steady_now());
    parts.clock.advance(10s);
    run->check(parts.clock.steady_now());

    EXPECT_EQ(parts.events.count("cancellation_ignored"), 1U);
    EXPECT_EQ(parts.events.last("cancellation_ignored").time, 10s);
}

TEST_F(RunTest, ARunThatEndedIsNeverDueAgain) {
    const auto run = begun();
    run->finish(Returned{}, parts.clock.steady_now());

    EXPECT_EQ(run->check(parts.clock.steady_now() + 61s), SteadyPoint::max());
    EXPECT_EQ(parts.events.count("timeout_reached"), 0U);
}

// ---- what is stored of a run that goes on

TEST_F(RunTest, TheStartIsStoredOnceByTheFirstNote) {
    const TimePoint started = parts.clock.now();
    const auto run = begun();

    parts.clock.advance(50ms);
    run->check(parts.clock.steady_now());
    run->check(parts.clock.steady_now());

    const auto notes = parts.writes.take(10);
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_EQ(std::get<RunNote>(notes[0].write).started_at, started);
}

TEST_F(RunTest, LinesAndProgressGoWithTheNextNoteOrTheOutcome) {
    const auto run = begun();
    run->log(LogLevel::kInfo, "first");
    run->progress(40, "halfway");
    run->check(parts.clock.steady_now());
    run->log(LogLevel::kInfo, "second");
    run->progress(250, "");
    run->finish(Returned{}, parts.clock.steady_now());

    const RunReport report = run->report(Succeed{});

    const auto notes = parts.writes.take(10);
    ASSERT_EQ(notes.size(), 1U);
    const auto& note = std::get<RunNote>(notes[0].write);
    ASSERT_EQ(note.log.size(), 1U);
    EXPECT_EQ(note.log[0].text, "first");
    EXPECT_EQ(note.progress_percent, 40);
    EXPECT_EQ(note.progress_text, "halfway");
    ASSERT_EQ(report.log.size(), 1U);
    EXPECT_EQ(report.log[0].text, "second");
    EXPECT_EQ(report.progress_percent, 100);
}

TEST_F(RunTest, KeepsTheLastTwoHundredLinesAndCutsLongOnes) {
    const auto run = begun();
    for (int i = 0; i < 250; ++i) run->log(LogLevel::kInfo, "line " + std::to_string(i));
    run->log(LogLevel::kInfo, std::string(20'000, 'x'));

    const RunReport report = run->report(Succeed{});

    ASSERT_EQ(report.log.size(), 200U);
    EXPECT_EQ(report.log.front().text, "line 51");
    EXPECT_EQ(report.log.back().text.size(), 16'384 + std::string(" ... 3616 bytes cut").size());
    EXPECT_THAT(report.log.back().text, HasSubstr("3616 bytes cut"));
}

TEST_F(RunTest, WhatTheJobSaysAfterItsEndIsDropped) {
    const auto run = begun();
    run->finish(Returned{}, parts.clock.steady_now());

    run->log(LogLevel::kInfo, "too late");
    run->progress(50, "too late");

    EXPECT_EQ(run->enqueue_on_success({.type = "b"}).status, AskStatus::kUnavailable);
    const RunReport report = run->report(Succeed{});
    EXPECT_TRUE(report.log.empty());
    EXPECT_FALSE(report.progress_percent.has_value());
    EXPECT_EQ(parts.events.count("job_logged"), 0U);
}

TEST_F(RunTest, WhatCanNeverBeStoredIsRefusedWhenTheJobAsksForIt) {
    const auto run = begun();

    EXPECT_EQ(run->enqueue_on_success({.type = ""}).status, AskStatus::kInvalid);
    EXPECT_EQ(run->enqueue({.type = "b", .input = "{"}).status, AskStatus::kInvalid);
    EXPECT_EQ(run->save_checkpoint("{").status, AskStatus::kInvalid);
    EXPECT_EQ(run->save_checkpoint(std::string(2 * 1024 * 1024, '1')).status, AskStatus::kInvalid);

    EXPECT_EQ(parts.writes.size(), 0U);
}

TEST_F(RunTest, JobsForItsSuccessNameItsSourceAndCarryItsTrace) {
    ClaimedJob job = EngineParts::claimed(1);
    job.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const auto run = begun(job);
    ASSERT_EQ(run->enqueue_on_success({.type = "b"}).status, AskStatus::kDone);

    const auto end = run->finish(Returned{}, parts.clock.steady_now());

    ASSERT_EQ(end->on_success.size(), 1U);
    EXPECT_EQ(end->on_success[0].source, "job:1");
    EXPECT_EQ(end->on_success[0].traceparent, job.traceparent);
}

TEST_F(RunTest, FactsForTheDecisionAreThoseOfTheClaim) {
    ClaimedJob job = EngineParts::claimed(1);
    job.attempt = 2;
    job.max_attempts = 8;
    job.max_attempts_requested = 8;
    job.snoozes = 3;
    job.orphanings = 1;
    job.first_started_at = parts.clock.now() - 1h;
    const auto run = begun(job);

    const RunFacts facts = run->facts();

    EXPECT_EQ(facts.attempt, 2);
    EXPECT_EQ(facts.max_attempts, 8);
    EXPECT_TRUE(facts.limit_requested);
    EXPECT_EQ(facts.snoozes, 3);
    EXPECT_EQ(facts.orphanings, 1);
    EXPECT_EQ(facts.first_started_at, job.first_started_at);
    EXPECT_EQ(begun()->facts().first_started_at, parts.clock.now())
        << "the first start counts from itself";
}

}  // namespace
}  // namespace jobhost
