#include "host/api/new_job_json.h"

#include <gtest/gtest.h>

namespace jobhost::api {
namespace {

using namespace std::chrono_literals;

std::string mistake_of(std::string_view line) {
    const auto job = parse_new_job(line, "cli");
    return job ? "no mistake" : job.error();
}

TEST(BulkLine, KeepsTheExactBytesOfTheInput) {
    const auto job =
        parse_new_job(R"( {"type":"a.b" , "input" :  { "x" : 1.0e5 ,"x":[ ]}  } )", "cli");

    ASSERT_TRUE(job.has_value()) << job.error();
    EXPECT_EQ(job->input, R"({ "x" : 1.0e5 ,"x":[ ]})");
    EXPECT_EQ(job->source, "cli");
}

TEST(BulkLine, WithoutInputIsNull) {
    EXPECT_EQ(parse_new_job(R"({"type":"a"})", "cli")->input, "null");
}

TEST(BulkLine, ReadsEveryOption) {
    const auto job = parse_new_job(
        R"({"type":"a","queue":"q","priority":"high","max_attempts":3,"delay":"5s","deadline":"1h",)"
        R"("timeout":0,"tags":["x","y\u0041"],"idempotency_key":"k","on_duplicate":"reject_always",)"
        R"("traceparent":"00-1"})",
        "cli");

    ASSERT_TRUE(job.has_value()) << job.error();
    EXPECT_EQ(job->queue, "q");
    EXPECT_EQ(job->priority, Priority::kHigh);
    EXPECT_EQ(job->max_attempts, 3);
    EXPECT_EQ(job->delay, Duration(5s));
    EXPECT_EQ(job->deadline_after, Duration(1h));
    EXPECT_EQ(job->timeout, Duration(0));
    EXPECT_EQ(job->tags, (std::vector<std::string>{"x", "yA"}));
    EXPECT_EQ(job->idempotency_key, "k");
    EXPECT_EQ(job->on_duplicate, OnDuplicate::kRejectAlways);
    EXPECT_EQ(job->traceparent, "00-1");
}

TEST(BulkLine, ANullOptionCountsAsNotGiven) {
    const auto job =
        parse_new_job(R"({"type":"a","queue":null,"tags":null,"max_attempts":null})", "cli");

    ASSERT_TRUE(job.has_value()) << job.error();
    EXPECT_EQ(job->queue, "default");
    EXPECT_EQ(job->max_attempts, std::nullopt);
}

TEST(BulkLine, TheInputMayBeNestedAsDeepAsAnyOther) {
    const auto line = [](std::size_t depth) {
        return R"({"type":"a","input":)" + std::string(depth, '[') + std::string(depth, ']') + "}";
    };

    EXPECT_EQ(mistake_of(line(256)), "no mistake");
    EXPECT_NE(mistake_of(line(257)), "no mistake");
}

TEST(BulkLine, RefusesASecondInput) {
    EXPECT_EQ(mistake_of(R"({"type":"a","input":1,"input":2})"),
              "the key \"input\" stands there twice");
}

TEST(BulkLine, RefusesASecondInputThatIsSpelledWithEscapes) {
    EXPECT_EQ(mistake_of(R"({"type":"a","input":1,"\u0069nput":2})"),
              "the key \"input\" stands there twice");
}

TEST(BulkLine, RefusesUnknownKeys) {
    EXPECT_EQ(mistake_of(R"({"type":"a","prio":"high"})"), "the key \"prio\" is not known");
    EXPECT_EQ(mistake_of(R"({"type":"a","source":"http"})"), "the key \"source\" is not known");
}

TEST(BulkLine, RefusesValuesOfTheWrongKind) {
    EXPECT_EQ(mistake_of(R"({"type":5})"), "type must be a string");
    EXPECT_EQ(mistake_of(R"({"type":"a","queue":5})"), "queue must be a string");
    EXPECT_EQ(mistake_of(R"({"type":"a","max_attempts":"3"})"), "max_attempts must be a number");
    EXPECT_EQ(mistake_of(R"({"type":"a","tags":"x"})"), "tags must be an array of strings");
    EXPECT_EQ(mistake_of(R"({"type":"a","tags":[1]})"), "tags must be an array of strings");
    EXPECT_TRUE(mistake_of(R"({"type":"a","max_attempts":1.5})").starts_with("max_attempts must"));
    EXPECT_TRUE(mistake_of(R"({"type":"a","delay":5})").starts_with("delay must"));
}

TEST(BulkLine, RefusesWhatIsNoObject) {
    EXPECT_TRUE(mistake_of("[1]").starts_with("not a JSON object"));
    EXPECT_TRUE(mistake_of(R"({"type":"a"} {})").starts_with("not a JSON object"));
    EXPECT_EQ(mistake_of("{}"), "the key \"type\" is missing");
}

TEST(Bulk, CountsBlankLinesButSkipsThem) {
    const auto bulk =
        parse_bulk("{\"type\":\"a\"}\n\n  \r\n{\"type\":\"b\"}\r\n{\"type\":\"c\"}", "cli");

    ASSERT_TRUE(bulk.has_value()) << bulk.error();
    EXPECT_EQ(bulk->lines, (std::vector<std::size_t>{1, 4, 5}));
    EXPECT_EQ(bulk->jobs.at(2).type, "c");
}

TEST(Bulk, NamesTheOffendingLine) {
    const auto bulk = parse_bulk("{\"type\":\"a\"}\n{\"type\":\"a\",\"x\":1}\n", "cli");

    ASSERT_FALSE(bulk.has_value());
    EXPECT_EQ(bulk.error(), "line 2: the key \"x\" is not known");
}

TEST(Bulk, OfNothingIsNothing) {
    EXPECT_TRUE(parse_bulk("", "cli")->jobs.empty());
}

}  // namespace
}  // namespace jobhost::api
