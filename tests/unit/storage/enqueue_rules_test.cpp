#include "storage/enqueue_rules.h"

#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jobhost {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using testing::HasSubstr;
using testing::Optional;

constexpr std::size_t kMaxInput = 1000;

NewJob valid_job() {
    return {.type = "payments.process", .input = R"({"order":1})"};
}

TEST(CheckName, AcceptsLettersDigitsAndMarksUpTo128Bytes) {
    const std::vector<std::string> names = {
        "a", "payments.process", "A_b-c:d/e.9", "no", "1.0", "../x", std::string(128, 'q')};

    for (const std::string& name : names) EXPECT_EQ(check_name(name), std::nullopt) << name;
}

TEST(CheckName, RefusesEverythingElseAndSaysWhy) {
    EXPECT_THAT(check_name(""), Optional("is empty"s));
    EXPECT_THAT(check_name(std::string(129, 'q')), Optional("is longer than 128 bytes"s));
    const std::vector<std::string> names = {"a b", "*",   "caf\xC3\xA9", "a\0b"s, "a\n",
                                            "a,b", "a\"", "<script>",    "a\x7F"};
    for (const std::string& name : names) {
        EXPECT_THAT(check_name(name), Optional(HasSubstr("contains the byte 0x"))) << name;
    }
    EXPECT_THAT(check_name("a b"), Optional(HasSubstr("0x20")));
}

TEST(CheckNewJob, AcceptsAJobWithEveryOption) {
    NewJob job = valid_job();
    job.queue = "critical";
    job.priority = Priority::kLow;
    job.tags = std::vector<std::string>(64, "caf\xC3\xA9 au lait");
    job.max_attempts = 1'000'000;
    job.delay = 0s;
    job.deadline_in = 1us;
    job.timeout = 0s;
    job.idempotency_key = std::string(512, 'k');
    job.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    job.source = "cli";

    EXPECT_EQ(check_new_job(job, kMaxInput), std::nullopt);
    EXPECT_EQ(check_new_job(valid_job(), kMaxInput), std::nullopt);
}

TEST(CheckNewJob, RefusesEachBrokenRuleWithItsReason) {
    struct Case {
        std::string reason;
        std::function<void(NewJob&)> break_rule;
    };
    const auto at = [](std::int64_t seconds) { return TimePoint(std::chrono::seconds(seconds)); };
    const std::vector<Case> cases = {
        {"the type is empty", [](NewJob& j) { j.type = ""; }},
        {"the type \"a b\" contains the byte 0x20", [](NewJob& j) { j.type = "a b"; }},
        {"is longer than 128 bytes", [](NewJob& j) { j.type = std::string(5000, 't'); }},
        {"the queue is empty", [](NewJob& j) { j.queue = ""; }},
        {"the queue \"a\\u0000b\" contains the byte 0x00", [](NewJob& j) { j.queue = "a\0b"s; }},
        {"max_attempts is less than 1", [](NewJob& j) { j.max_attempts = 0; }},
        {"max_attempts is less than 1", [](NewJob& j) { j.max_attempts = -5; }},
        {"max_attempts is more than 1000000", [](NewJob& j) { j.max_attempts = 1'000'001; }},
        {"the priority is unknown", [](NewJob& j) { j.priority = static_cast<Priority>(4); }},
        {"on_duplicate is unknown",
         [](NewJob& j) { j.on_duplicate = static_cast<OnDuplicate>(-1); }},
        {"a tag is empty",
         [](NewJob& j) {
             j.tags = {"a", ""};
         }},
        {"is longer than 128 bytes", [](NewJob& j) { j.tags = {std::string(129, 't')}; }},
        {"is not valid UTF-8", [](NewJob& j) { j.tags = {"\xFF"}; }},
        {"contains a control character", [](NewJob& j) { j.tags = {"a\nb"}; }},
        {"there are 65 tags; the limit is 64",
         [](NewJob& j) { j.tags = std::vector<std::string>(65, "t"); }},
        {"delay and run_at exclude each other",
         [&](NewJob& j) {
             j.delay = 1s;
             j.run_at = at(1);
         }},
        {"there are two deadlines",
         [&](NewJob& j) {
             j.deadline_in = 1s;
             j.deadline_at = at(1);
         }},
        {"the delay is negative", [](NewJob& j) { j.delay = -1us; }},
        {"the delay is longer than 100 years", [](NewJob& j) { j.delay = Duration::max(); }},
        {"the deadline is zero", [](NewJob& j) { j.deadline_in = 0s; }},
        {"the deadline is longer than 100 years",
         [](NewJob& j) { j.deadline_in = Duration::max(); }},
        {"the timeout is negative", [](NewJob& j) { j.timeout = -1s; }},
        {"run_at is not between the years 1970 and 9999", [&](NewJob& j) { j.run_at = at(-1); }},
        {"run_at is not between", [](NewJob& j) { j.run_at = TimePoint::max(); }},
        {"the deadline is not between", [](NewJob& j) { j.deadline_at = TimePoint::min(); }},
        {"the deadline is not after run_at",
         [&](NewJob& j) {
             j.run_at = at(10);
             j.deadline_at = at(10);
         }},
        {"the idempotency key is empty", [](NewJob& j) { j.idempotency_key = ""; }},
        {"the idempotency key is longer than 512 bytes",
         [](NewJob& j) { j.idempotency_key = std::string(513, 'k'); }},
        {"the idempotency key contains a control character",
         [](NewJob& j) { j.idempotency_key = "a\0b"s; }},
        {"traceparent is longer", [](NewJob& j) { j.traceparent = std::string(257, '0'); }},
        {"the source is longer", [](NewJob& j) { j.source = std::string(257, 's'); }},
        {"the input has 1001 bytes; the limit is 1000",
         [](NewJob& j) { j.input = std::string(1001, '1'); }},
        {"the input is not JSON: expected a value but the text ends at byte 0",
         [](NewJob& j) { j.input = ""; }},
        {"the input is not JSON: invalid UTF-8 at byte 1", [](NewJob& j) { j.input = "\"\xFF\""; }},
        {"the input is not JSON: nested deeper than 256 at byte 256",
         [](NewJob& j) { j.input = std::string(257, '[') + std::string(257, ']'); }},
    };

    for (const Case& one : cases) {
        NewJob job = valid_job();
        one.break_rule(job);
        EXPECT_THAT(check_new_job(job, kMaxInput), Optional(HasSubstr(one.reason))) << one.reason;
    }
}

TEST(CheckNewJob, QuotesALongBadNameShortened) {
    NewJob job = valid_job();
    job.type = std::string(100'000, '*');

    const auto reason = check_new_job(job, kMaxInput);

    ASSERT_TRUE(reason.has_value());
    EXPECT_LT(reason->size(), 200U);
}

TEST(CheckNewJob, TakesAnInputOfExactlyTheLimit) {
    NewJob job = valid_job();
    job.input = std::string(kMaxInput, '1');

    EXPECT_EQ(check_new_job(job, kMaxInput), std::nullopt);
}

}  // namespace
}  // namespace jobhost
