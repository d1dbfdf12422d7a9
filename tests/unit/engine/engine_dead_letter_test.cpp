#include <future>
#include <latch>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/engine/engine_fixture.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

RunResult always_down(RunContext&) {
    return Threw{thrown("Down", {"std::exception"}, "no route")};
}

/// Keeps the order in which handlers and forwarders were called.
class Calls {
public:
    void add(const std::string& what) {
        const std::lock_guard lock(mutex_);
        all_.push_back(what);
    }
    std::vector<std::string> all() const {
        const std::lock_guard lock(mutex_);
        return all_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<std::string> all_;
};

class EngineDeadLetter : public EngineTest {
protected:
    ScriptedHandler::Script noted(const std::string& name) {
        return [this, name](const Job&, PluginContext&) {
            calls.add(name);
            return std::nullopt;
        };
    }
    static ScriptedForwarder::Applies answering(bool applies) {
        return [applies](const Job&) { return applies; };
    }

    Calls calls;
};

TEST_F(EngineDeadLetter, AfterTheLastAttemptTheHandlerRunsThenEachForwarderInOrder) {
    add_type(types, "a", always_down, retry_at_once(2), noted("handler"));
    add_forwarder(types, "audit", answering(true), noted("audit"));
    add_forwarder(types, "never", answering(false), noted("never"));
    add_forwarder(types, "alert", answering(true), noted("alert"));
    const JobId id = enqueue();
    start();

    ASSERT_TRUE(settle());

    EXPECT_EQ(job(id).state, JobState::kFailed);
    EXPECT_EQ(job(id).attempts, 2);
    EXPECT_THAT(calls.all(), ElementsAre("handler", "audit", "alert"));
    EXPECT_THAT(store.dead_letters(id), ElementsAre("a succeeded", "audit succeeded",
                                                    "never not_applicable", "alert succeeded"));
}

TEST_F(EngineDeadLetter, OneRunMeansOneRunAndFullHandling) {
    for (const int limit : {0, 1}) {
        types.types.clear();
        add_type(types, "a", always_down, retry_at_once(limit), noted("handler"));
        const JobId id = enqueue();
        start();

        ASSERT_TRUE(settle());

        EXPECT_EQ(job(id).attempts, 1) << limit;
        EXPECT_THAT(store.dead_letters(id), ElementsAre("a succeeded")) << limit;
        engine.reset();
    }
    EXPECT_EQ(calls.all().size(), 2U);
}

TEST_F(EngineDeadLetter, EveryWayToFailedIsHandled) {
    PolicyLevel policy = retry_at_once(5);
    policy.do_not_retry = {"Hopeless"};
    policy.timeout = 10ms;
    add_type(
        types, "a",
        [](RunContext& context) -> RunResult {
            const std::string& wish = context.job().input;
            if (wish == R"("hopeless")") return Threw{thrown("Hopeless")};
            if (wish == R"("dead")") return AskedForDeadLetter{"no", thrown("jobhost::DeadLetter")};
            if (wish == R"("payload")") return Threw{host_error(kPayloadError, "not a number")};
            context.wait(20s);
            return LeftEarly{};
        },
        policy, noted("handler"));
    const JobId hopeless = enqueue({.type = "a", .input = R"("hopeless")"});
    const JobId dead = enqueue({.type = "a", .input = R"("dead")"});
    const JobId payload = enqueue({.type = "a", .input = R"("payload")"});
    const JobId slow = enqueue({.type = "a", .input = R"("slow")", .max_attempts = 1});
    start();

    ASSERT_TRUE(settle());

    EXPECT_EQ(job(hopeless).reason, "must_not_retry");
    EXPECT_EQ(job(hopeless).attempts, 1);
    EXPECT_EQ(job(dead).reason, "by job");
    EXPECT_EQ(job(payload).reason, "must_not_retry");
    EXPECT_EQ(job(slow).reason, "exhausted");
    for (const JobId id : {hopeless, dead, payload, slow}) {
        EXPECT_THAT(store.dead_letters(id), ElementsAre("a succeeded"));
    }
    EXPECT_EQ(calls.all().size(), 4U);
}

TEST_F(EngineDeadLetter, TheJobIsFailedInTheStoreBeforeItsHandlerRuns) {
    std::promise<Job> seen;
    std::promise<std::vector<std::string>> runs;
    add_type(types, "a", always_down, retry_at_once(1), [&](const Job& failed, PluginContext&) {
        runs.set_value(store.dead_letters(failed.id));
        seen.set_value(store.job(failed.id));
        return std::nullopt;
    });
    enqueue();
    start();

    const Job stored = seen.get_future().get();
    ASSERT_TRUE(settle());

    EXPECT_EQ(stored.state, JobState::kFailed);
    EXPECT_EQ(stored.last_error->message, "no route");
    EXPECT_THAT(runs.get_future().get(), ElementsAre("a started"));
}

TEST_F(EngineDeadLetter, AHandlerThatThrowsIsDoneAndStopsNoForwarder) {
    add_type(types, "a", always_down, retry_at_once(1),
             [](const Job&, PluginContext&) { return thrown("Broken", {}, "no mail server"); });
    add_forwarder(
        types, "odd",
        [](const Job&) -> std::variant<bool, ThrownError> { return thrown("Odd", {}, "which?"); },
        noted("odd"));
    add_forwarder(types, "broken", answering(true),
                  [](const Job&, PluginContext&) { return thrown("Broken", {}, "no broker"); });
    add_forwarder(types, "audit", answering(true), noted("audit"));
    const JobId id = enqueue();
    start();

    ASSERT_TRUE(settle());

    EXPECT_THAT(calls.all(), ElementsAre("audit"));
    EXPECT_THAT(store.dead_letters(id),
                ElementsAre("a failed", "odd failed", "broken failed", "audit succeeded"));
    const auto rows = store.session().dead_letters(id, DeadLetterState::kFailed, 10, 0);
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[2].error, "Broken: no mail server");
    EXPECT_EQ(rows[1].error, "applies_to: Odd: which?");
}

TEST_F(EngineDeadLetter, WithoutAHandlerTheJobIsSimplyFailedAndStaysVisible) {
    add_type(types, "a", always_down, retry_at_once(1));
    const JobId id = enqueue();
    start();

    ASSERT_TRUE(settle());

    EXPECT_EQ(job(id).state, JobState::kFailed);
    EXPECT_THAT(store.dead_letters(id), IsEmpty());
}

TEST_F(EngineDeadLetter, OnceIsPerMoveToFailed) {
    add_type(types, "a", always_down, retry_at_once(1), noted("handler"));
    const JobId id = enqueue();
    start();
    ASSERT_TRUE(settle());

    ASSERT_EQ(store.session().requeue_job(id, false).outcome, ControlAnswer::Outcome::kDone);
    ASSERT_TRUE(settle());

    EXPECT_THAT(calls.all(), ElementsAre("handler", "handler"));
    EXPECT_THAT(store.dead_letters(id), ElementsAre("a succeeded", "a succeeded"));
}

TEST_F(EngineDeadLetter, AFailedJobIsNeitherRunNorHandledAgainByTheNextNode) {
    add_type(types, "a", always_down, retry_at_once(1), noted("handler"));
    const JobId id = enqueue();
    start();
    ASSERT_TRUE(settle());

    for (int i = 0; i < 3; ++i) {
        engine.reset();
        start();
        ASSERT_TRUE(settle());
    }

    EXPECT_EQ(calls.all().size(), 1U);
    EXPECT_EQ(job(id).attempts, 1);
}

TEST_F(EngineDeadLetter, AHandlerMayLogAndEnqueueCompensation) {
    add_type(types, "a", always_down, retry_at_once(1),
             [](const Job& failed, PluginContext& context) -> std::optional<ThrownError> {
                 context.log(LogLevel::kInfo, "refunding");
                 const Asked asked = context.enqueue({.type = "refund", .input = failed.input});
                 if (asked.status != AskStatus::kDone) return thrown("NotStored");
                 return std::nullopt;
             });
    const JobId id = enqueue({.type = "a", .input = R"({"order": 7})"});
    start();

    ASSERT_TRUE(settle());

    const JobPage made = store.session().list_jobs({.type = "refund"}, 10, "");
    ASSERT_EQ(made.jobs.size(), 1U);
    EXPECT_EQ(job(made.jobs[0].id).input, R"({"order": 7})");
    EXPECT_EQ(made.jobs[0].source, "job:" + std::to_string(id));
    EXPECT_EQ(events.last("dead_letter_logged").text, "refunding");
}

TEST_F(EngineDeadLetter, AHandlerPastItsLimitIsAskedToStopAndWhatItSaysCounts) {
    settings.dead_letter_timeout = 20ms;
    std::promise<StopCause> saw;
    add_type(types, "a", always_down, retry_at_once(1),
             [&](const Job&, PluginContext& context) -> std::optional<ThrownError> {
                 saw.set_value(context.wait(20s));
                 return thrown("Interrupted");
             });
    const JobId id = enqueue();
    start();

    ASSERT_TRUE(settle());

    EXPECT_EQ(saw.get_future().get(), StopCause::kTimeout);
    EXPECT_THAT(store.dead_letters(id), ElementsAre("a failed"));
}

TEST_F(EngineDeadLetter, ASlowHandlerHoldsNoWorker) {
    std::latch reached(1);
    std::latch go(1);
    settings.queues[0].workers = 1;
    settings.dead_letter_workers = 1;
    add_type(types, "a", always_down, retry_at_once(1), [&](const Job&, PluginContext&) {
        reached.count_down();
        go.wait();
        return std::nullopt;
    });
    add_type(types, "quick", [](RunContext&) -> RunResult { return Returned{}; });
    enqueue();
    start();
    reached.wait();

    const JobId quick = enqueue({.type = "quick"});

    EXPECT_TRUE(events.wait_for_job("job_succeeded", quick));
    go.count_down();
    EXPECT_TRUE(settle());
}

TEST_F(EngineDeadLetter, UntilEmptyWaitsForTheRunsThatAreOwed) {
    std::latch reached(1);
    std::latch go(1);
    add_type(types, "a", always_down, retry_at_once(1), [&](const Job&, PluginContext&) {
        reached.count_down();
        go.wait();
        return std::nullopt;
    });
    enqueue();
    start();
    reached.wait();

    int asked = 0;
    EXPECT_FALSE(engine->wait_until_empty([&] { return ++asked > 3; }));
    go.count_down();

    EXPECT_TRUE(settle());
}

TEST_F(EngineDeadLetter, RunsStillOwedAtAnOrderlyStopAreDoneByTheNextOwner) {
    std::latch reached(1);
    std::atomic<int> handled = 0;
    settings.dead_letter_workers = 1;
    settings.shutdown_grace = 0s;
    add_type(types, "a", always_down, retry_at_once(1), [&](const Job&, PluginContext& context) {
        if (++handled == 1) {
            reached.count_down();
            context.wait(20s);
        }
        return std::nullopt;
    });
    const JobId first = enqueue();
    start();
    reached.wait();
    const JobId second = enqueue();
    ASSERT_TRUE(events.wait_for_job("job_failed", second));

    ASSERT_TRUE(engine->stop());
    engine.reset();
    EXPECT_THAT(store.dead_letters(first), ElementsAre("a succeeded"));
    EXPECT_THAT(store.dead_letters(second), ElementsAre("a owed"));

    start();
    ASSERT_TRUE(settle());

    EXPECT_THAT(store.dead_letters(second), ElementsAre("a succeeded"));
    EXPECT_EQ(handled, 2);
}

}  // namespace
}  // namespace jobhost
