// Many jobs of every kind through three hosts on one file, one of which is killed every second.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <sstream>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/process/jobhost_process.h"

namespace jobhost::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kLedgerA = LEDGER_PLUGINS "/ledger_a.so";
constexpr int kMaxAttempts = 20;
constexpr int kMaxKills = 240;

int jobs_to_run() {
    const char* wanted = std::getenv("JOBHOST_MIXED_JOBS");
    return wanted == nullptr ? 20000 : std::atoi(wanted);
}

std::string mixed_jobs(int count, std::mt19937& chance) {
    std::ostringstream lines;
    for (int i = 0; i < count; ++i) {
        const auto kind = chance() % 100;
        std::string input = "{}";
        if (kind < 10) input = R"({"fail":2})";
        if (kind >= 10 && kind < 15) input = R"({"fail":1000000})";
        if (kind >= 15 && kind < 20) input = R"({"then":"invalid"})";
        if (kind >= 20 && kind < 30) input = R"({"ms":5})";
        if (kind >= 30 && kind < 31) input = R"({"ms":300})";
        const int limit = kind >= 10 && kind < 15 ? 3 : kMaxAttempts;
        lines << R"({"type":"a.work","input":)" << input << R"(,"max_attempts":)" << limit
              << R"(,"priority":")" << (chance() % 2 == 0 ? "high" : "normal") << "\"}\n";
    }
    return lines.str();
}

class Counts {
public:
    explicit Counts(const nlohmann::json& stats) : stats_(stats) {}
    std::int64_t operator[](const char* state) const {
        return stats_.at("jobs").value(state, std::int64_t{0});
    }

private:
    nlohmann::json stats_;
};

TEST(MixedJobs, EveryJobEndsOnceAlthoughAHostIsKilledEverySecond) {
    const char* given = std::getenv("JOBHOST_SEED");
    const unsigned seed =
        given == nullptr ? std::random_device()() : static_cast<unsigned>(std::atoll(given));
    RecordProperty("seed", std::to_string(seed));
    std::cout << "seed " << seed << std::endl;
    std::mt19937 chance(seed);
    Site site;
    site.add_service("a", {kLedgerA},
                     "retry: { initial_delay: 20ms, multiplier: 1 }\n"
                     "queues:\n  - { name: default, workers: 8 }");
    const int count = jobs_to_run();
    const Finished enqueued = site.command("a", {"enqueue", "--bulk"}, mixed_jobs(count, chance));
    ASSERT_EQ(enqueued.exit_code, 0) << enqueued.err;

    std::vector<pid_t> hosts = {site.start("a"), site.start("a"), site.start("a")};
    auto next_kill = std::chrono::steady_clock::now() + 1s;
    int kills = 0;
    const auto is_over = [&] {
        const Counts counts(site.json("a", {"stats"}));
        return counts["waiting"] + counts["processing"] == 0;
    };
    while (!is_over() && kills < kMaxKills) {
        std::this_thread::sleep_until(next_kill);
        next_kill += 1s;
        pid_t& victim = hosts[chance() % hosts.size()];
        site.kill(victim);
        victim = site.start("a");
        ++kills;
    }
    for (const pid_t host : hosts) {
        site.signal(host, SIGTERM);
        EXPECT_EQ(site.wait(host, 40s), 0);
    }

    std::cout << kills << " kills" << std::endl;
    const Counts counts(site.json("a", {"stats"}));
    EXPECT_EQ(counts["succeeded"] + counts["failed"], count);
    EXPECT_EQ(counts["processing"], 0);
    EXPECT_EQ(counts["waiting"], 0);
    EXPECT_EQ(
        site.sql("SELECT count(*) FROM (SELECT attempts, max_attempts FROM done UNION ALL "
                 "SELECT attempts, max_attempts FROM dead) ended WHERE attempts > max_attempts"),
        "0");
    EXPECT_EQ(site.integrity(), "ok");

    // No handler ran twice for a job, no attempt went beyond the limit, no fence was used twice.
    std::map<std::string, int> handled;
    for (const std::string& line : site.ledger_lines("dead"))
        ++handled[line.substr(0, line.rfind(' '))];
    EXPECT_TRUE(std::ranges::all_of(handled, [](const auto& entry) { return entry.second == 1; }));
    std::map<std::string, int> starts;
    for (const std::string& line : site.ledger_lines("run")) {
        std::istringstream words(line);
        std::string word, id, fence;
        int attempt = 0;
        words >> word >> id >> attempt >> fence;
        EXPECT_LE(attempt, kMaxAttempts) << line;
        EXPECT_EQ(++starts[id + " " + fence], 1) << line;
    }
}

}  // namespace
}  // namespace jobhost::test
