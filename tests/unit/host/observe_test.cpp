#include <gtest/gtest.h>

#include "host/observe/counted.h"
#include "host/observe/counters.h"
#include "host/observe/duration_text.h"
#include "host/observe/fan_out.h"
#include "host/observe/printable.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

TEST(DurationText, HasAtMostTwoUnits) {
    EXPECT_EQ(duration_text(0s), "0 s");
    EXPECT_EQ(duration_text(850us), "850 us");
    EXPECT_EQ(duration_text(12ms), "12 ms");
    EXPECT_EQ(duration_text(4200ms), "4.2 s");
    EXPECT_EQ(duration_text(16s), "16 s");
    EXPECT_EQ(duration_text(5min + 30s), "5m 30s");
    EXPECT_EQ(duration_text(5min), "5m");
    EXPECT_EQ(duration_text(3h + 5min + 9s), "3h 5m");
    EXPECT_EQ(duration_text(52h), "2d 4h");
    EXPECT_EQ(duration_text(-5min), "-5m");
    EXPECT_TRUE(duration_text(Duration::min()).starts_with("-"));
}

TEST(Printable, LeavesPlainTextAlone) {
    EXPECT_EQ(printable("plain"), "plain");
    EXPECT_EQ(printable("größe €"), "größe €");
}

TEST(Printable, EscapesControlCharactersAndBrokenUtf8) {
    EXPECT_EQ(printable("a\nb\tc\rd"), "a\\nb\\tc\\rd");
    EXPECT_EQ(printable(std::string_view("\0\x1b\x7f", 3)), "\\x00\\x1b\\x7f");
    EXPECT_EQ(printable("\xc2\x9b"), "\\u009b");
    EXPECT_EQ(printable("a\u202eb\u2066c\u2028d"), "a\\u202eb\\u2066c\\u2028d");
    EXPECT_EQ(printable("\xff\xe2\x82"), "\\xff\\xe2\\x82");
}

TEST(Printable, JsonKeepsItsMeaningAndItsLayout) {
    EXPECT_EQ(printable_json("{\n \"a\": \"größe €\"}"), "{\n \"a\": \"größe €\"}");
    EXPECT_EQ(printable_json("\"\u202e\u009b\x7f\u2066\""), R"("\u202e\u009b\u007f\u2066")");
}

TEST(Counted, KnowsOneFromMany) {
    EXPECT_EQ(counted(0, "job"), "0 jobs");
    EXPECT_EQ(counted(1, "job"), "1 job");
    EXPECT_EQ(counted(2, "idempotency key"), "2 idempotency keys");
}

TEST(Printable, CutsLongTextAndSaysSo) {
    EXPECT_EQ(printable("abcdef", 4), "abcd … (2 bytes left out)");
}

TEST(Counters, CountByFact) {
    Counters counters;

    counters.job_started({}, {});
    counters.job_started({}, {});
    counters.leases_given_back(3);
    counters.cancellation_ignored({}, 10s);

    EXPECT_EQ(counters.value(Count::kStarted), 2);
    EXPECT_EQ(counters.value(Count::kLeaseGivenBack), 3);
    EXPECT_EQ(counters.value(Count::kCancellationIgnored), 1);
    EXPECT_EQ(metric_name(Count::kCancellationIgnored), "jobhost_jobs_cancellation_ignored_total");
    EXPECT_EQ(metric_name(Count::kPurged), "jobhost_jobs_purged_total");
}

TEST(Counters, CountForwardersByName) {
    Counters counters;
    const OwedRun run{.kind = DeadLetterKind::kForwarder, .name = "audit"};

    counters.dead_letter_finished(run, DeadLetterState::kSucceeded, "");
    counters.dead_letter_finished(run, DeadLetterState::kFailed, "no");
    counters.dead_letter_finished(run, DeadLetterState::kNotApplicable, "");

    EXPECT_EQ(counters.forwarders().at("audit").forwarded, 1);
    EXPECT_EQ(counters.forwarders().at("audit").failed, 1);
}

TEST(FanOut, TellsEveryListener) {
    Counters first;
    Counters second;
    FanOut events({&first, &second});

    events.job_retried({}, {}, 1s);

    EXPECT_EQ(first.value(Count::kRetried), 1);
    EXPECT_EQ(second.value(Count::kRetried), 1);
}

}  // namespace
}  // namespace jobhost
