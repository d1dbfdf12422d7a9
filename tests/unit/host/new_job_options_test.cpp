#include <gtest/gtest.h>

#include "host/cli/new_job.h"

namespace jobhost::cli {
namespace {

using namespace std::chrono_literals;

tl::expected<NewJob, std::string> with(const std::string& name, const std::string& words) {
    return new_job({.type = "t", .options = {{name, words}}});
}

TEST(NewJobOptions, AreThoseOfTheCommandLine) {
    const auto job = new_job({.type = "t", .tags = {"x"}});

    ASSERT_TRUE(job.has_value());
    EXPECT_EQ(job->type, "t");
    EXPECT_EQ(job->tags, std::vector<std::string>{"x"});
    EXPECT_EQ(job->source, "cli");
    EXPECT_EQ(job->queue, "default");
}

TEST(NewJobOptions, ADeadlineIsADurationOrATime) {
    EXPECT_EQ(with("deadline", "90s")->deadline_after, Duration(90s));
    EXPECT_EQ(with("deadline", "1970-01-01T00:01:00Z")->deadline_at, TimePoint(1min));
    EXPECT_EQ(with("deadline", "soon").error(),
              "--deadline must be a duration such as 30s, 5m or 1h, or a time such as "
              "2026-02-28T23:59:00Z");
}

TEST(NewJobOptions, ATimeoutOfZeroIsAValue) {
    EXPECT_EQ(with("timeout", "0")->timeout, Duration(0));
}

TEST(NewJobOptions, MistakesBeginWithTheFlag) {
    EXPECT_TRUE(with("max_attempts", "many").error().starts_with("--max-attempts must be"));
    EXPECT_TRUE(with("max_attempts", "5x").error().starts_with("--max-attempts must be"));
    EXPECT_TRUE(with("priority", "urgent").error().starts_with("--priority must be one of"));
    EXPECT_TRUE(with("on_duplicate", "no").error().starts_with("--on-duplicate must be one of"));
    EXPECT_TRUE(with("delay", "5").error().starts_with("--delay must"));
    EXPECT_TRUE(with("run_at", "5m").error().starts_with("--run-at must"));
}

TEST(NewJobOptions, DelayAndRunAtExcludeEachOther) {
    const auto job =
        new_job({.type = "t", .options = {{"delay", "1s"}, {"run_at", "2026-01-01T00:00:00Z"}}});

    EXPECT_EQ(job.error(), "--delay and --run-at exclude each other");
}

}  // namespace
}  // namespace jobhost::cli
