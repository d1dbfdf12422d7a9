#include "host/api/job_json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace jobhost::api {
namespace {

Job sample() {
    return {.id = 9007199254740993,
            .type = "mail.send",
            .queue = "default",
            .input = "{ \"a\" : 1.50 }",
            .input_bytes = 14,
            .max_attempts_requested = 4,
            .checkpoint = "[1]"};
}

std::string text_of(const Job& job, bool whole) {
    return whole ? job_json(job, {}, true) : jobs_json({.jobs = {job}}, {});
}

TEST(JobJson, EmbedsTheInputByteForByte) {
    EXPECT_NE(text_of(sample(), true).find("\"input\":{ \"a\" : 1.50 },"), std::string::npos);
}

TEST(JobJson, StaysJsonWhenARowIsBroken) {
    Job job = sample();
    job.input = "{ broken";
    job.checkpoint = "";

    const auto json = nlohmann::json::parse(text_of(job, true));

    EXPECT_EQ(json["input"], "{ broken");
    EXPECT_EQ(json["checkpoint"], "");
}

TEST(JobJson, IsOneJsonObjectWithIdsAsText) {
    const auto json = nlohmann::json::parse(text_of(sample(), true));

    EXPECT_EQ(json["id"], "9007199254740993");
    EXPECT_EQ(json["parent_id"], nullptr);
    EXPECT_EQ(json["created_at"], "1970-01-01T00:00:00.000000Z");
    EXPECT_EQ(json["state"], "enqueued");
    EXPECT_EQ(json["checkpoint"], nlohmann::json::array({1}));
}

TEST(JobJson, ShowsTheRequestedLimitUntilOneIsInForce) {
    Job job = sample();
    EXPECT_EQ(nlohmann::json::parse(text_of(job, true))["max_attempts"], 4);

    job.max_attempts = 6;
    EXPECT_EQ(nlohmann::json::parse(text_of(job, true))["max_attempts"], 6);
}

TEST(JobJson, HasEveryFieldOfTheContract) {
    const auto json = nlohmann::json::parse(text_of(sample(), true));

    for (const char* name : {"id",
                             "type",
                             "queue",
                             "priority",
                             "tags",
                             "input",
                             "state",
                             "attempts",
                             "fence",
                             "max_attempts",
                             "max_attempts_requested",
                             "created_at",
                             "run_at",
                             "started_at",
                             "finished_at",
                             "expires_at",
                             "last_error",
                             "errors",
                             "reason",
                             "source",
                             "idempotency_key",
                             "parent_id",
                             "traceparent",
                             "progress",
                             "checkpoint",
                             "log"}) {
        EXPECT_TRUE(json.contains(name)) << name;
    }
}

TEST(JobJson, InListsLeavesOutWhatListsDoNotRead) {
    const auto json = nlohmann::json::parse(text_of(sample(), false))["items"][0];

    for (const char* name : {"input", "errors", "checkpoint", "log"}) {
        EXPECT_FALSE(json.contains(name)) << name;
    }
}

}  // namespace
}  // namespace jobhost::api
