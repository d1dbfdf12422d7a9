#include <optional>
#include <string>
#include <variant>

#include <gmock/gmock.h>

#include "host/plugin/current_call.h"
#include "host/plugin/plugin_dead_letter.h"
#include "host/plugin/plugin_delay.h"
#include "host/plugin/plugin_host.h"
#include "host/plugin/plugin_job_type.h"
#include "tests/unit/plugin/fake_contexts.h"
#include "tests/unit/plugin/hand_made.h"

namespace jobhost {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

RunResult run(FakeRunContext& context, OneTypePlugin::Run body) {
    const OneTypePlugin plugin(std::move(body));
    return make_job_type(plugin.library, plugin.type)->run(context);
}
RunResult run(OneTypePlugin::Run body) {
    FakeRunContext context;
    return run(context, std::move(body));
}

std::string contract_message(const RunResult& result) {
    const auto* threw = std::get_if<Threw>(&result);
    if (threw == nullptr || threw->why.error.type != kPluginContractError) return {};
    return threw->why.error.message;
}

TEST(PluginJobType, OkMeansReturned) {
    const RunResult result = run([](const jobhost_job&, const jobhost_run*) { return JOBHOST_OK; });

    EXPECT_TRUE(std::holds_alternative<Returned>(result));
}

TEST(PluginJobType, TheJobArrivesAsItWasClaimed) {
    FakeRunContext context;
    context.claimed.lease = {.job = 42, .node = 3, .fence = 9, .token = 0};
    context.claimed.priority = Priority::kHigh;
    context.claimed.input = "{\"a\" : 1e400}";
    context.claimed.attempt = 2;
    context.claimed.max_attempts = 5;
    context.claimed.tags = {"red", "blue"};
    context.claimed.created_at = TimePoint(std::chrono::seconds(1));
    context.claimed.traceparent = "00-ab-cd-01";
    context.claimed.checkpoint = "{\"step\":3}";
    context.claimed.source = "cli";

    run(context, [](const jobhost_job& job, const jobhost_run*) {
        EXPECT_EQ(job.struct_size, sizeof job);
        EXPECT_EQ(job.id, 42);
        EXPECT_EQ(job.fence, 9);
        EXPECT_EQ(view_of(job.type), "test.type");
        EXPECT_EQ(view_of(job.queue), "default");
        EXPECT_EQ(view_of(job.state), "processing");
        EXPECT_EQ(job.priority, JOBHOST_PRIORITY_HIGH);
        EXPECT_EQ(view_of(job.input), "{\"a\" : 1e400}");
        EXPECT_EQ(job.attempt, 2);
        EXPECT_EQ(job.max_attempts, 5);
        EXPECT_EQ(job.max_attempts_requested, -1);
        EXPECT_EQ(job.n_tags, 2U);
        EXPECT_EQ(view_of(job.tags[1]), "blue");
        EXPECT_EQ(job.created_at_us, 1'000'000);
        EXPECT_EQ(view_of(job.traceparent), "00-ab-cd-01");
        EXPECT_EQ(view_of(job.checkpoint), "{\"step\":3}");
        EXPECT_EQ(view_of(job.source), "cli");
        EXPECT_EQ(job.idempotency_key.ptr, nullptr);
        EXPECT_EQ(job.progress_percent, -1);
        return JOBHOST_OK;
    });
}

TEST(PluginJobType, AnErrorCarriesWhatThePluginSaidLast) {
    const RunResult result = run([](const jobhost_job&, const jobhost_run* api) {
        const jobhost_error first = c_error("acme::First", "one");
        const jobhost_error last = c_error("acme::Last", "two");
        api->api->set_error(api, &first);
        api->api->set_error(api, &last);
        return JOBHOST_ERROR;
    });

    EXPECT_EQ(std::get<Threw>(result).why.error.type, "acme::Last");
}

TEST(PluginJobType, AnErrorWithoutWordsIsTheContractsError) {
    const RunResult result =
        run([](const jobhost_job&, const jobhost_run*) { return JOBHOST_ERROR; });

    EXPECT_THAT(contract_message(result), HasSubstr("run of test.type answered status 1 without"));
}

TEST(PluginJobType, AnUnknownStatusCountsAsAnError) {
    EXPECT_THAT(contract_message(run([](const jobhost_job&, const jobhost_run*) { return 99; })),
                HasSubstr("status 99"));

    const RunResult explained = run([](const jobhost_job&, const jobhost_run* api) {
        const jobhost_error why = c_error("acme::New", "x");
        api->api->set_error(api, &why);
        return 99;
    });
    EXPECT_EQ(std::get<Threw>(explained).why.error.type, "acme::New");
}

TEST(PluginJobType, WhatEscapesEndsTheAttemptOnly) {
    const RunResult result =
        run([](const jobhost_job&, const jobhost_run*) -> jobhost_status { throw 42; });

    EXPECT_THAT(contract_message(result), HasSubstr("an exception left run of test.type"));
}

TEST(PluginJobType, CancelledNeedsARequestToStop) {
    const auto leave = [](const jobhost_job&, const jobhost_run*) { return JOBHOST_CANCELLED; };
    FakeRunContext stopping;
    stopping.fake.cause = StopCause::kShutdown;

    EXPECT_TRUE(std::holds_alternative<LeftEarly>(run(stopping, leave)));
    EXPECT_THAT(contract_message(run(leave)), HasSubstr("nobody had asked it to stop"));
}

TEST(PluginJobType, ASnoozeBringsItsDelay) {
    const RunResult result = run([](const jobhost_job&, const jobhost_run* api) {
        api->api->set_snooze(api, 5'000'000);
        return JOBHOST_SNOOZE;
    });

    EXPECT_EQ(std::get<AskedToSnooze>(result).delay, std::chrono::seconds(5));
}

TEST(PluginJobType, ANegativeSnoozeIsNone) {
    const RunResult result = run([](const jobhost_job&, const jobhost_run* api) {
        api->api->set_snooze(api, INT64_MIN);
        return JOBHOST_SNOOZE;
    });

    EXPECT_EQ(std::get<AskedToSnooze>(result).delay, Duration::zero());
}

TEST(PluginJobType, DeadLetterAndDiscardBringTheirReason) {
    const auto say_and = [](jobhost_status status) {
        return run([status](const jobhost_job&, const jobhost_run* api) {
            const jobhost_error why = c_error("jobhost::DeadLetter", "the order is void");
            api->api->set_error(api, &why);
            return status;
        });
    };

    const RunResult dead = say_and(JOBHOST_DEAD_LETTER);
    EXPECT_EQ(std::get<AskedForDeadLetter>(dead).reason, "the order is void");
    EXPECT_EQ(std::get<AskedForDeadLetter>(dead).why.error.type, "jobhost::DeadLetter");
    EXPECT_EQ(std::get<AskedToDiscard>(say_and(JOBHOST_DISCARD)).reason, "the order is void");
}

TEST(PluginJobType, TheThreadKnowsWhoseJobItRuns) {
    FakeRunContext context;
    context.claimed.lease.job = 8;

    run(context, [](const jobhost_job&, const jobhost_run*) {
        EXPECT_STREQ(current_call().plugin, "hand_made 1.0");
        EXPECT_STREQ(current_call().function, "run");
        EXPECT_EQ(current_call().job, 8);
        EXPECT_STREQ(current_call().type, "test.type");
        return JOBHOST_OK;
    });
    EXPECT_EQ(current_call().plugin, nullptr);
}

Job failed_job() {
    Job job;
    job.id = 7;
    job.type = "test.type";
    job.queue = "default";
    job.state = JobState::kFailed;
    job.attempts = 3;
    job.max_attempts = 3;
    job.reason = "exhausted";
    job.input = "[1]";
    job.errors = {
        JobError{.type = "acme::A", .types = {"acme::A", "std::exception"}},
        JobError{.type = "acme::B", .types = {"acme::B"}, .message = "last", .attempt = 3}};
    job.last_error = job.errors.back();
    job.log = {{.text = "a line"}};
    job.traceparent = "00-1-2-3";
    return job;
}

struct Handler {
    explicit Handler(decltype(jobhost_dead_letter_handler::handle) handle) {
        described.name = "test.type";
        described.fields.handle = handle;
        library.label = "hand_made 1.0";
    }
    std::optional<ThrownError> call(const Job& job, PluginContext& context) const {
        return make_dead_letter_handler(library, described)->handle(job, context);
    }
    PluginLibrary library = {};
    Described<jobhost_dead_letter_handler> described = {};
};

TEST(PluginDeadLetter, TheHandlerSeesTheFailedJobAndItsLastError) {
    const Handler handler([](void*, const jobhost_dead_letter_handler*,
                             const jobhost_failed_job* failed,
                             const jobhost_run*) -> jobhost_status {
        const jobhost_job& job = *failed->job;
        EXPECT_EQ(job.id, 7);
        EXPECT_EQ(view_of(job.state), "failed");
        EXPECT_EQ(job.attempt, 3);
        EXPECT_EQ(view_of(job.reason), "exhausted");
        EXPECT_EQ(job.n_errors, 2U);
        EXPECT_EQ(view_of(job.errors[0]->type), "acme::A");
        EXPECT_EQ(job.errors[0]->n_bases, 1U);
        EXPECT_EQ(view_of(job.errors[0]->bases[0]), "std::exception");
        EXPECT_EQ(job.n_log_lines, 1U);
        EXPECT_EQ(view_of(job.log_lines[0]), "a line");
        EXPECT_EQ(view_of(failed->error->type), "acme::B");
        EXPECT_EQ(failed->error->attempt, 3);
        return JOBHOST_OK;
    });
    FakePluginContext context;

    EXPECT_EQ(handler.call(failed_job(), context), std::nullopt);
}

TEST(PluginDeadLetter, AHandlerMayLogAndEnqueueButNotActAsARunningJob) {
    const Handler handler([](void*, const jobhost_dead_letter_handler*, const jobhost_failed_job*,
                             const jobhost_run* api) -> jobhost_status {
        EXPECT_EQ(api->api->set_snooze, nullptr);
        EXPECT_EQ(api->api->progress, nullptr);
        EXPECT_EQ(api->api->save_checkpoint, nullptr);
        EXPECT_EQ(api->api->complete, nullptr);
        jobhost_enqueue request = JOBHOST_ENQUEUE_INIT;
        request.type = c_text("mail.tell");
        EXPECT_EQ(api->api->enqueue(api, &request, nullptr), JOBHOST_OK);
        request.flags = JOBHOST_ENQUEUE_ON_SUCCESS;
        EXPECT_EQ(api->api->enqueue(api, &request, nullptr), JOBHOST_INVALID);
        api->api->log(api, JOBHOST_LEVEL_WARNING, c_text("told"));
        return JOBHOST_OK;
    });
    FakePluginContext context;

    EXPECT_EQ(handler.call(failed_job(), context), std::nullopt);
    ASSERT_EQ(context.enqueued.size(), 1U);
    EXPECT_EQ(context.enqueued[0].source, "job:7");
    EXPECT_EQ(context.enqueued[0].traceparent, "00-1-2-3");
    EXPECT_THAT(context.lines, ElementsAre("warning told"));
}

TEST(PluginDeadLetter, WhatAHandlerThrowsIsAnAnswer) {
    const Handler escapes([](void*, const jobhost_dead_letter_handler*, const jobhost_failed_job*,
                             const jobhost_run*) -> jobhost_status { throw "text"; });
    FakePluginContext context;

    const auto error = escapes.call(failed_job(), context);

    ASSERT_TRUE(error);
    EXPECT_EQ(error->error.type, kPluginContractError);
}

TEST(PluginDeadLetter, AJobThatLostItsErrorsStillReachesItsHandler) {
    const Handler handler([](void*, const jobhost_dead_letter_handler*,
                             const jobhost_failed_job* failed, const jobhost_run*) {
        EXPECT_EQ(view_of(failed->error->message), "exhausted");
        return jobhost_status{JOBHOST_OK};
    });
    FakePluginContext context;
    Job job = failed_job();
    job.last_error.reset();
    job.errors.clear();

    EXPECT_EQ(handler.call(job, context), std::nullopt);
}

std::vector<std::string>& host_lines() {
    static std::vector<std::string> lines;
    return lines;
}

TEST(PluginForwarder, AppliesToAnswersYesNoOrAnError) {
    static std::int32_t answer = 1;
    PluginHost host({.plugin = "hand_made 1.0"},
                    {.log = [](LogLevel, std::string_view, std::string_view text) {
                        host_lines().emplace_back(text);
                    }});
    host.open();
    PluginLibrary library;
    library.label = "hand_made 1.0";
    Described<jobhost_forwarder> described;
    described.name = "audit";
    described.fields.applies_to = [](void*, const jobhost_forwarder*, const jobhost_failed_job*,
                                     const jobhost_run* api) {
        api->api->log(api, JOBHOST_LEVEL_INFO, c_text("looking"));
        EXPECT_EQ(api->api->cancel_reason(api), JOBHOST_NOT_CANCELLED);
        jobhost_enqueue request = JOBHOST_ENQUEUE_INIT;
        request.type = c_text("mail.tell");
        EXPECT_EQ(api->api->enqueue(api, &request, nullptr), JOBHOST_INVALID);
        return answer;
    };
    const auto forwarder = make_forwarder(library, described, host);

    EXPECT_EQ(std::get<bool>(forwarder->applies_to(failed_job())), true);
    answer = 0;
    EXPECT_EQ(std::get<bool>(forwarder->applies_to(failed_job())), false);
    answer = -1;
    EXPECT_EQ(std::get<ThrownError>(forwarder->applies_to(failed_job())).error.type,
              kPluginContractError);
    EXPECT_EQ(host_lines().at(0), "looking");
}

DelayAnswer ask(decltype(jobhost_retry_delay::delay_us) function) {
    PluginLibrary library;
    library.label = "hand_made 1.0";
    Described<jobhost_retry_delay> described;
    described.name = "mine";
    described.fields.delay_us = function;
    const ThrownError error = host_error("acme::E", "why");
    return make_delay_function(library, described)
        ->delay({.job = 5,
                 .type = "test.type",
                 .queue = "default",
                 .attempts_made = 2,
                 .max_attempts = 9,
                 .error = &error,
                 .default_delay = std::chrono::seconds(16),
                 .random = 77});
}

TEST(PluginDelay, TheFunctionIsToldWhatItNeeds) {
    const DelayAnswer answer =
        ask([](void*, const jobhost_retry_delay*, const jobhost_retry_info* info) {
            EXPECT_EQ(info->attempts_made, 2);
            EXPECT_EQ(info->max_attempts, 9);
            EXPECT_EQ(info->job->id, 5);
            EXPECT_EQ(view_of(info->job->type), "test.type");
            EXPECT_EQ(view_of(info->error->type), "acme::E");
            EXPECT_EQ(info->policy_delay_us, 16'000'000);
            EXPECT_EQ(info->random, 77U);
            return std::int64_t{3'000'000};
        });

    EXPECT_EQ(std::get<Duration>(answer), std::chrono::seconds(3));
}

TEST(PluginDelay, TheSmallestNumberMeansThePolicy) {
    const DelayAnswer answer =
        ask([](void*, const jobhost_retry_delay*, const jobhost_retry_info*) {
            return std::int64_t{JOBHOST_DELAY_AS_POLICY};
        });

    EXPECT_TRUE(std::holds_alternative<PolicyDelay>(answer));
}

TEST(PluginDelay, AnotherNegativeNumberIsAFailureThatSaysSo) {
    const DelayAnswer answer = ask([](void*, const jobhost_retry_delay*,
                                      const jobhost_retry_info*) { return std::int64_t{-1000}; });

    EXPECT_EQ(std::get<BadDelay>(answer).what, "it answered -1000 us");
}

TEST(PluginDelay, TheLargestNumberIsSaturated) {
    const DelayAnswer answer =
        ask([](void*, const jobhost_retry_delay*, const jobhost_retry_info*) {
            return std::int64_t{INT64_MAX};
        });

    EXPECT_EQ(std::get<Duration>(answer), std::chrono::hours(24) * 36600);
}

TEST(PluginDelay, WhatEscapesIsAFailure) {
    const DelayAnswer answer = ask([](void*, const jobhost_retry_delay*,
                                      const jobhost_retry_info*) -> std::int64_t { throw 1; });

    EXPECT_THAT(std::get<BadDelay>(answer).what, HasSubstr("an exception left it"));
}

}  // namespace
}  // namespace jobhost
