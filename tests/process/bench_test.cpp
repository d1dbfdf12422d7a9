// `jobhost bench` on the configured kind of store, with few jobs: what it prints, and that nothing
// of it stays, however it ends.
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/process/jobhost_process.h"

namespace jobhost::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Bench : public ::testing::Test {
protected:
    Bench() { site_.add_service("a", {JOBHOST_PLUGINS "/reliability.so"}); }

    static bool is_on_postgres() { return std::getenv("JOBHOST_TEST_POSTGRES") != nullptr; }

    /// What measuring has made and not removed. `by`: the process, since on PostgreSQL other tests
    /// of the run measure, too.
    std::vector<std::string> left_by(const std::string& by) const {
        std::vector<std::string> found;
        for (const auto& entry : std::filesystem::directory_iterator(site_.folder())) {
            const std::string name = entry.path().filename();
            if (name.find("-bench-") != std::string::npos) found.push_back(name);
        }
        if (!is_on_postgres()) return found;
        const std::string schemas = site_.sql(
            "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'jobhost_bench_" + by + "_%'");
        if (!schemas.empty()) found.push_back(schemas);
        return found;
    }

    /// The process that a store is named after, as its description shows it.
    static std::string maker_of(const std::string& engine) {
        const std::string mark = is_on_postgres() ? "jobhost_bench_" : "-bench-";
        const std::size_t begin = engine.find(mark) + mark.size();
        return engine.substr(begin, engine.find_first_not_of("0123456789", begin) - begin);
    }

    Site site_;
};

TEST_F(Bench, MeasuresAStoreLikeTheConfiguredOneAndLeavesNothing) {
    const auto document = site_.json("a", {"bench", "--jobs", "300", "--samples", "5"});

    EXPECT_EQ(document.at("jobs"), 300);
    EXPECT_EQ(document.at("samples"), 5);
    ASSERT_EQ(document.at("stores").size(), 1);
    const auto& store = document.at("stores")[0];
    EXPECT_THAT(store.at("engine").get<std::string>(),
                HasSubstr(is_on_postgres() ? "PostgreSQL" : "SQLite"));
    std::vector<std::string> names;
    for (const auto& result : store.at("results")) {
        names.push_back(result.at("name"));
        EXPECT_GE(result.at("value").get<double>(), 0) << result;
        EXPECT_GT(result.at("bare").get<double>(), 0) << result;
        EXPECT_TRUE(result.at("ratio").is_number() || result.at("value") == 0) << result;
        EXPECT_THAT(result.at("unit").get<std::string>(), ::testing::AnyOf("jobs/s", "us"));
    }
    EXPECT_THAT(names, ::testing::ElementsAre("bulk_enqueue", "run", "single_enqueue",
                                              "enqueue_to_start_p50", "enqueue_to_start_p99",
                                              "enqueue_to_start_p999"));
    EXPECT_THAT(left_by(maker_of(store.at("engine"))), IsEmpty());
    EXPECT_FALSE(std::filesystem::exists(site_.database())) << "the store itself was touched";
}

TEST_F(Bench, PutsTwoKindsOfStoreSideBySide) {
    const std::string other = "sqlite:" + (site_.folder() / "other.db").string();

    const Finished finished =
        site_.command("a", {"bench", "--jobs", "100", "--samples", "2", "--also", other});

    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_THAT(finished.out, HasSubstr(is_on_postgres() ? "postgresql  " : "sqlite  "));
    EXPECT_THAT(finished.out, HasSubstr("beside sqlite://" + other.substr(7)));
    EXPECT_THAT(finished.out, HasSubstr("claim, run and complete"));
    EXPECT_THAT(finished.err, IsEmpty());
    EXPECT_THAT(left_by(maker_of(finished.out)), IsEmpty());
}

TEST_F(Bench, AUrlThatNobodyKnowsIsAUsageError) {
    const Finished finished = site_.command("a", {"bench", "--also", "mysql://h/d"});

    EXPECT_EQ(finished.exit_code, 2);
    EXPECT_THAT(finished.err, HasSubstr("--also must begin with sqlite: or postgresql://"));
}

TEST_F(Bench, CtrlCRemovesWhatWasMade) {
    // Far more than it can do before the signal comes.
    const pid_t bench = site_.start_command("a", {"bench", "--jobs", "10000000"});
    const std::string maker = std::to_string(bench);
    ASSERT_TRUE(eventually([&] { return !left_by(maker).empty(); }));

    site_.signal(bench, SIGINT);

    EXPECT_EQ(site_.wait(bench, 60s), 1);
    EXPECT_THAT(left_by(maker), IsEmpty());
}

}  // namespace
}  // namespace jobhost::test
