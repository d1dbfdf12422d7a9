#include "host/plugin/run_api.h"

#include <thread>

#include <gmock/gmock.h>

#include "host/plugin/host_run.h"
#include "storage/enqueue_rules.h"
#include "tests/unit/plugin/fake_contexts.h"
#include "tests/unit/plugin/hand_made.h"

namespace jobhost {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RunApi : public testing::Test {
protected:
    static FakeRunContext running_job() {
        FakeRunContext made;
        made.claimed.lease.job = 12;
        made.claimed.traceparent = "00-of-job";
        return made;
    }

    jobhost_status enqueue(const jobhost_enqueue& request) {
        result = {};
        result.struct_size = sizeof result;
        return api.enqueue(&run, &request, &result);
    }
    static jobhost_enqueue request() {
        jobhost_enqueue request = JOBHOST_ENQUEUE_INIT;
        request.type = c_text("mail.send");
        return request;
    }
    std::string message() const { return text_of(result.message); }

    FakeRunContext context = running_job();
    const HostRun run{context};
    const jobhost_run_api& api = *run.api;
    jobhost_enqueue_result result = {};
};

TEST_F(RunApi, AnEnqueueWithoutOptionsHasTheDefaults) {
    context.fake.answer = {.id = 99};

    EXPECT_EQ(enqueue(request()), JOBHOST_OK);

    EXPECT_EQ(result.id, 99);
    ASSERT_EQ(context.fake.enqueued.size(), 1U);
    const NewJob& job = context.fake.enqueued[0];
    EXPECT_EQ(job.type, "mail.send");
    EXPECT_EQ(job.input, "null");
    EXPECT_EQ(job.queue, "default");
    EXPECT_EQ(job.priority, Priority::kNormal);
    EXPECT_EQ(job.max_attempts, std::nullopt);
    EXPECT_EQ(job.delay, std::nullopt);
    EXPECT_EQ(job.run_at, std::nullopt);
    EXPECT_EQ(job.deadline_in, std::nullopt);
    EXPECT_EQ(job.deadline_at, std::nullopt);
    EXPECT_EQ(job.timeout, std::nullopt);
    EXPECT_EQ(job.idempotency_key, std::nullopt);
    EXPECT_EQ(job.source, "job:12");
    EXPECT_EQ(job.traceparent, "00-of-job");
    EXPECT_EQ(check_new_job(job, 1024), std::nullopt);
}

TEST_F(RunApi, EveryOptionOfAnEnqueueArrives) {
    const jobhost_str tags[] = {c_text("a"), c_text("b")};
    jobhost_enqueue asked = request();
    asked.input = c_text("{\"to\": 1}");
    asked.queue = c_text("critical");
    asked.priority = JOBHOST_PRIORITY_CRITICAL;
    asked.max_attempts = 3;
    asked.delay_us = 5;
    asked.deadline_after_us = 6;
    asked.timeout_us = 0;
    asked.tags = tags;
    asked.n_tags = 2;
    asked.idempotency_key = c_text("key");
    asked.on_duplicate = JOBHOST_ON_DUPLICATE_REJECT_ALWAYS;
    asked.traceparent = c_text("00-own");

    EXPECT_EQ(enqueue(asked), JOBHOST_OK);

    const NewJob& job = context.fake.enqueued.at(0);
    EXPECT_EQ(job.input, "{\"to\": 1}");
    EXPECT_EQ(job.queue, "critical");
    EXPECT_EQ(job.priority, Priority::kCritical);
    EXPECT_EQ(job.max_attempts, 3);
    EXPECT_EQ(job.delay, Duration(5));
    EXPECT_EQ(job.deadline_in, Duration(6));
    EXPECT_EQ(job.timeout, Duration(0));
    EXPECT_THAT(job.tags, ElementsAre("a", "b"));
    EXPECT_EQ(job.idempotency_key, "key");
    EXPECT_EQ(job.on_duplicate, OnDuplicate::kRejectAlways);
    EXPECT_EQ(job.traceparent, "00-own");
}

TEST_F(RunApi, OnSuccessIsKeptForTheSuccess) {
    jobhost_enqueue asked = request();
    asked.flags = JOBHOST_ENQUEUE_ON_SUCCESS;

    EXPECT_EQ(enqueue(asked), JOBHOST_OK);

    EXPECT_THAT(context.fake.enqueued, IsEmpty());
    EXPECT_EQ(context.on_success.size(), 1U);
}

TEST_F(RunApi, ABrokenRequestIsRefusedWithAReasonAndNothingIsAsked) {
    jobhost_enqueue asked = request();
    asked.struct_size = 100;
    EXPECT_EQ(enqueue(asked), JOBHOST_INVALID);
    EXPECT_THAT(message(), HasSubstr("struct_size is 100"));

    asked = request();
    asked.delay_us = -2;
    EXPECT_EQ(enqueue(asked), JOBHOST_INVALID);
    EXPECT_THAT(message(), HasSubstr("delay_us is negative"));

    asked = request();
    asked.input = {nullptr, 3};
    EXPECT_EQ(enqueue(asked), JOBHOST_INVALID);
    EXPECT_THAT(message(), HasSubstr("input is NULL but has a length"));

    asked = request();
    asked.priority = 4;
    EXPECT_EQ(enqueue(asked), JOBHOST_INVALID);
    asked = request();
    asked.on_duplicate = 3;
    EXPECT_EQ(enqueue(asked), JOBHOST_INVALID);
    asked = request();
    asked.n_tags = 1;
    EXPECT_EQ(enqueue(asked), JOBHOST_INVALID);
    asked = request();
    asked.on_parent_failed = JOBHOST_ON_PARENT_FAILED_RUN;
    EXPECT_EQ(enqueue(asked), JOBHOST_INVALID);
    asked = request();
    asked.after = 5;
    EXPECT_EQ(enqueue(asked), JOBHOST_UNSUPPORTED);

    EXPECT_EQ(api.enqueue(&run, nullptr, nullptr), JOBHOST_INVALID);
    EXPECT_THAT(context.fake.enqueued, IsEmpty());
}

TEST_F(RunApi, ALargerRequestOfANewerMinorIsFine) {
    struct Newer {
        jobhost_enqueue known = JOBHOST_ENQUEUE_INIT;
        std::int64_t appended = 5;
    } newer;
    newer.known.type = c_text("mail.send");
    newer.known.struct_size = sizeof newer;

    EXPECT_EQ(enqueue(newer.known), JOBHOST_OK);
}

TEST_F(RunApi, AnswersBecomeStatuses) {
    context.fake.answer = {.status = AskStatus::kInvalid, .why = "the type is empty"};
    EXPECT_EQ(enqueue(request()), JOBHOST_INVALID);
    EXPECT_EQ(message(), "the type is empty");

    context.fake.answer = {.status = AskStatus::kRefused, .why = "held", .id = 5};
    EXPECT_EQ(enqueue(request()), JOBHOST_CONFLICT);
    EXPECT_EQ(result.id, 5);

    context.fake.answer = {.status = AskStatus::kUnavailable};
    EXPECT_EQ(enqueue(request()), JOBHOST_UNAVAILABLE);

    context.fake.answer = {.id = 6, .duplicate = true};
    EXPECT_EQ(enqueue(request()), JOBHOST_OK);
    EXPECT_EQ(result.duplicate, 1);
}

TEST_F(RunApi, ACheckpointMustBeJsonOfAtMostOneMebibyte) {
    EXPECT_EQ(api.save_checkpoint(&run, c_text("{\"a\":1}")), JOBHOST_OK);
    EXPECT_EQ(context.checkpoint, "{\"a\":1}");

    EXPECT_EQ(api.save_checkpoint(&run, c_text("{a:1}")), JOBHOST_INVALID);
    EXPECT_EQ(api.save_checkpoint(&run, c_text("\"\xff\"")), JOBHOST_INVALID);
    EXPECT_EQ(api.save_checkpoint(&run, {nullptr, 5}), JOBHOST_INVALID);
    const std::string large = "\"" + std::string(std::size_t{1024} * 1024, 'x') + "\"";
    EXPECT_EQ(api.save_checkpoint(&run, c_text(large)), JOBHOST_INVALID);
    EXPECT_EQ(context.checkpoint, "{\"a\":1}");
    EXPECT_THAT(context.fake.lines, testing::Contains(HasSubstr("save_checkpoint: ")));
}

TEST_F(RunApi, ProgressIsKeptWithinItsRange) {
    api.progress(&run, 150, c_text("almost"));
    EXPECT_EQ(context.progress_said, "100 almost");

    api.progress(&run, -9, c_text(""));
    EXPECT_EQ(context.progress_said, "-1 ");
}

TEST_F(RunApi, LevelsOutsideOfTheKnownOnesAreInfo) {
    api.log(&run, 17, c_text("odd"));
    api.log(&run, JOBHOST_LEVEL_CRITICAL, c_text("bad"));
    api.log(&run, JOBHOST_LEVEL_INFO, {nullptr, 4});

    EXPECT_THAT(context.fake.lines,
                ElementsAre("info odd", "error bad", HasSubstr("log: the text")));
}

TEST_F(RunApi, ReasonsToStopAreToldAsTheyAre) {
    EXPECT_EQ(api.cancel_reason(&run), JOBHOST_NOT_CANCELLED);
    context.fake.cause = StopCause::kTimeout;
    EXPECT_EQ(api.cancel_reason(&run), JOBHOST_CANCEL_TIMEOUT);
    context.fake.cause = StopCause::kLeaseLost;
    EXPECT_EQ(api.wait(&run, 1000), JOBHOST_CANCEL_LEASE_LOST);
    EXPECT_EQ(context.fake.waited, Duration(1000));
}

TEST_F(RunApi, WaitingForNothingDoesNotSleepAndForEverIsBounded) {
    EXPECT_EQ(api.wait(&run, -5), JOBHOST_NOT_CANCELLED);
    EXPECT_EQ(context.fake.waited, std::nullopt);

    api.wait(&run, INT64_MAX);
    EXPECT_EQ(context.fake.waited, std::chrono::hours(24) * 366);
}

TEST_F(RunApi, CompleteSaysWhetherItCameInTime) {
    EXPECT_EQ(api.complete(&run), JOBHOST_OK);

    context.can_complete = false;
    EXPECT_EQ(api.complete(&run), JOBHOST_ERROR);
}

TEST_F(RunApi, ErrorsMayBeSetFromSeveralThreads) {
    const auto set = [this] {
        const jobhost_error error = c_error("acme::E", "x");
        for (int i = 0; i < 100; ++i) api.set_error(&run, &error);
    };
    std::thread other(set);
    set();
    other.join();
    // What remains is one of them, whole; the sanitizers watch the rest.
    EXPECT_EQ(const_cast<HostRun&>(run).take_error()->error.type, "acme::E");
}

TEST_F(RunApi, NullForARunIsHarmless) {
    EXPECT_EQ(api.cancel_reason(nullptr), JOBHOST_NOT_CANCELLED);
    EXPECT_EQ(api.enqueue(nullptr, nullptr, nullptr), JOBHOST_INVALID);
    EXPECT_EQ(api.save_checkpoint(nullptr, c_text("1")), JOBHOST_INVALID);
    api.log(nullptr, 0, c_text("x"));
    api.set_error(nullptr, nullptr);
    api.progress(nullptr, 0, c_text("x"));
    EXPECT_EQ(api.get_extension(&run, "jobhost.ext.none/1"), nullptr);
}

}  // namespace
}  // namespace jobhost
