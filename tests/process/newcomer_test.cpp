// What people get wrong at first: the command says so, and what to do.
#include <csignal>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/process/jobhost_process.h"

namespace jobhost::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kLedgerA = LEDGER_PLUGINS "/ledger_a.so";

class Newcomer : public ::testing::Test {
protected:
    void SetUp() override { site_.add_service("a", {kLedgerA, JOBHOST_PLUGINS "/reliability.so"}); }

    Finished command(std::vector<std::string> arguments) const {
        return site_.command("a", std::move(arguments));
    }
    /// The sentence of a command that failed with `--json`: one document on standard error.
    static std::string error_of(const Finished& finished) {
        EXPECT_THAT(finished.out, IsEmpty());
        return nlohmann::json::parse(finished.err).at("error").get<std::string>();
    }
    /// A store in which every type of the plugins is known.
    void make_store() {
        site_.enqueue("a", {"a.work", "--input", "{}"});
        EXPECT_EQ(command({"run", "--until-empty"}).exit_code, 0);
    }

    Site site_;
};

TEST_F(Newcomer, EnqueueWarnsOfAQueueThatNoLiveNodeWorksOn) {
    const pid_t host = site_.start("a");
    const Finished text = command({"enqueue", "a.work", "--input", "{}", "--queue", "defualt"});
    const auto json = site_.json("a", {"enqueue", "a.work", "--queue", "defualt"});
    const auto right = site_.json("a", {"enqueue", "a.work", "--input", "{}"});
    site_.kill(host);

    EXPECT_EQ(text.exit_code, 0);
    EXPECT_THAT(text.err, HasSubstr("warning: no live node that runs the type a.work works on the "
                                    "queue defualt; the job waits for one; did you mean "
                                    "`default`?"));
    EXPECT_THAT(json.at("warning").get<std::string>(), HasSubstr("works on the queue defualt"));
    EXPECT_FALSE(right.contains("warning"));
}

TEST_F(Newcomer, AMistypedTypeGetsTheNearestKnownOne) {
    make_store();

    EXPECT_THAT(command({"enqueue", "a.wrok"}).err, HasSubstr("did you mean `a.work`?"));
    const Finished explain = command({"explain", "demo.flakky"});
    EXPECT_EQ(explain.exit_code, 3);
    EXPECT_THAT(explain.err, HasSubstr("did you mean `demo.flaky`?"));
    EXPECT_THAT(command({"jobs", "list", "--type", "a.werk"}).err,
                HasSubstr("names the type a.werk; did you mean `a.work`?"));
    EXPECT_THAT(command({"jobs", "cancel", "--type", "a.werk"}).err,
                HasSubstr("did you mean `a.work`?"));
    EXPECT_THAT(command({"types", "pause", "demo.nop"}).err,
                HasSubstr("did you mean `demo.noop`?"));
    EXPECT_THAT(command({"jobs", "list", "--type", "a.work"}).err, IsEmpty());
}

TEST_F(Newcomer, CheckListsThePluginsAndTheirTypes) {
    const Finished text = command({"check"});
    const auto json = site_.json("a", {"check"});

    EXPECT_EQ(text.exit_code, 0) << text.err;
    EXPECT_THAT(text.out, HasSubstr("plugin ledger-a 1.0.0, 1 type:\n  a.work\n"));
    EXPECT_THAT(text.out, HasSubstr("plugin reliability 1.0.0, 8 types:\n  demo.flaky\n"));
    EXPECT_EQ(json.at("plugins").at(0),
              nlohmann::json({{"plugin", "ledger-a 1.0.0"}, {"types", {"a.work"}}}));
}

TEST_F(Newcomer, AWrongPluginPathNamesTheLineOfTheConfiguration) {
    site_.add_service("b", {"/nowhere/payments.so"});

    const Finished check = site_.command("b", {"check"});

    EXPECT_EQ(check.exit_code, 2);
    EXPECT_THAT(check.err, HasSubstr("b.yaml:5: /nowhere/payments.so: the file cannot be found"));
}

TEST_F(Newcomer, ReadingCommandsMakeNoStore) {
    const std::vector<std::vector<std::string>> all{{"jobs", "list"},
                                                    {"jobs", "show", "1"},
                                                    {"jobs", "cancel", "1"},
                                                    {"why", "1"},
                                                    {"queues"},
                                                    {"types"},
                                                    {"nodes"},
                                                    {"stats"},
                                                    {"deadletter", "list"},
                                                    {"queues", "resume", "q"},
                                                    {"reload"},
                                                    {"purge"}};
    for (const auto& arguments : all) {
        const Finished finished = command(arguments);
        EXPECT_EQ(finished.exit_code, 3) << arguments.front();
        EXPECT_THAT(finished.err, HasSubstr("there is no store at " + site_.place()));
        EXPECT_FALSE(std::filesystem::exists(site_.database())) << arguments.front();
    }
    EXPECT_EQ(command({"migrate"}).exit_code, 0);
    EXPECT_EQ(command({"jobs", "list"}).exit_code, 0);
}

TEST_F(Newcomer, AnEmptyListSaysThatThereIsNothing) {
    ASSERT_EQ(command({"migrate"}).exit_code, 0);
    const std::vector<std::vector<std::string>> lists{
        {"jobs", "list"}, {"queues"}, {"types"}, {"nodes"}, {"deadletter", "list"}};
    for (const auto& arguments : lists) {
        const Finished text = command(arguments);
        EXPECT_EQ(text.exit_code, 0);
        EXPECT_THAT(text.out, IsEmpty());
        EXPECT_THAT(text.err, StartsWith("jobhost: ")) << arguments.front();
        EXPECT_EQ(site_.json("a", arguments),
                  nlohmann::json({{"items", nlohmann::json::array()}, {"next", nullptr}}));
    }
}

TEST_F(Newcomer, AWrongLineIsStatusTwoAndWithJsonADocument) {
    ASSERT_EQ(command({"migrate"}).exit_code, 0);
    const std::vector<std::vector<std::string>> lines{
        {"frobnicate"},
        {"run", "--fast"},
        {"jobs", "list", "--limit", "many"},
        {"jobs", "list", "--state", "lost"},
        {"jobs", "list", "--since", "soon"},
        {"jobs", "list", "--after", "there"},
        {"jobs", "show", "first"},
        {"jobs", "cancel"},
        {"deadletter", "list", "--state", "gone"},
        {"deadletter", "list", "--after", "x"},
        {"enqueue"},
        {"enqueue", "two words"},
        {"enqueue", "a.work", "--input", "{"},
        {"enqueue", "a.work", "--max-attempts", "0"},
        {"enqueue", "a.work", "--delay", "1"},
        {"enqueue", "a.work", "--priority", "top"},
        {"queues", "pause", "two words"},
        {"explain", "a.work", "--node", "n", "--wait", "long"},
        {"reload", "--wait", "long"}};
    for (std::vector<std::string> line : lines) {
        const Finished text = command(line);
        EXPECT_EQ(text.exit_code, 2) << line.back() << ": " << text.err;
        EXPECT_THAT(text.out, IsEmpty()) << line.back();
        EXPECT_THAT(text.err, StartsWith("jobhost: ")) << line.back();
        line.emplace_back("--json");
        const Finished json = command(line);
        EXPECT_EQ(json.exit_code, 2) << line.front();
        EXPECT_THAT(error_of(json), Not(IsEmpty())) << line.front();
    }
}

TEST_F(Newcomer, AFailureAndWhatIsNotFoundAreDocumentsToo) {
    make_store();
    const Finished missing = command({"jobs", "show", "999", "--json"});
    const Finished file = command({"enqueue", "a.work", "--input", "@/nowhere", "--json"});
    site_.add_service("b", {"/nowhere.so"}, "timout: 5m\nretry: { max_atempts: 3 }");
    const Finished config = site_.command("b", {"nodes", "--json"});

    EXPECT_EQ(missing.exit_code, 3);
    EXPECT_EQ(error_of(missing), "there is no job 999");
    EXPECT_EQ(file.exit_code, 1);
    EXPECT_THAT(error_of(file), HasSubstr("/nowhere cannot be opened"));
    EXPECT_EQ(config.exit_code, 2);
    EXPECT_THAT(error_of(config),
                AllOf(HasSubstr("timout: unknown key"), HasSubstr("max_atempts")));
}

TEST_F(Newcomer, AConfigurationThatIsNoFileIsRefusedAndNotWaitedFor) {
    const auto pipe = site_.folder() / "pipe.yaml";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    std::filesystem::create_directory(site_.folder() / "folder.yaml");

    const Finished fifo = site_.command("pipe", {"check"});
    const Finished folder = site_.command("folder", {"check"});

    EXPECT_EQ(fifo.exit_code, 2);
    EXPECT_THAT(fifo.err, HasSubstr("pipe.yaml: the file is not a regular file"));
    EXPECT_EQ(folder.exit_code, 2);
    EXPECT_THAT(folder.err, HasSubstr("folder.yaml: the file cannot be read: Is a directory"));
}

class SqliteNewcomer : public Newcomer {};

TEST_F(SqliteNewcomer, AStoreThatIsNoDatabaseIsNamedWithoutItsSql) {
    std::ofstream(site_.database()) << std::string(8192, 'x');

    const Finished list = command({"jobs", "list"});

    EXPECT_EQ(list.exit_code, 1);
    EXPECT_THAT(list.err, AllOf(HasSubstr(site_.database().string()), Not(HasSubstr("PRAGMA"))));
}

TEST_F(Newcomer, NoTextOfAJobSteersATerminal) {
    const std::string evil = "{\"a\":\"\u202e\u009b31m\"}";
    const std::string id = site_.enqueue("a", {"a.work", "--input", evil, "--tag", "x\u202ey"});

    const Finished text = command({"jobs", "show", id});
    const auto json = site_.json("a", {"jobs", "show", id});

    EXPECT_THAT(text.out, AllOf(HasSubstr("{\"a\":\"\\u202e\\u009b31m\"}"), HasSubstr("x\\u202ey"),
                                Not(HasSubstr("\u202e")), Not(HasSubstr("\u009b"))));
    EXPECT_EQ(json.at("input").dump(-1, ' ', false), evil);  // as it was, for programs
}

TEST_F(Newcomer, OneJobIsNotCalledJobs) {
    site_.enqueue("a", {"a.work"});

    EXPECT_THAT(command({"jobs", "cancel", "--type", "a.work", "--dry-run"}).out,
                HasSubstr("would be cancelled"));
    EXPECT_THAT(command({"purge"}).out, HasSubstr("0 jobs, 0 idempotency keys and 0 nodes"));
    EXPECT_THAT(command({"jobs", "cancel", "1", "2"}).err, HasSubstr("1 job cancelled"));
}

TEST_F(Newcomer, HelpOfRunListsItsExitStatuses) {
    const Finished help = command({"run", "--help"});

    EXPECT_EQ(help.exit_code, 0);
    EXPECT_THAT(help.out, AllOf(HasSubstr("Exit status: 0 stopped"), HasSubstr("2 usage"),
                                HasSubstr("70 a plugin called exit()")));
}

class LastWords : public Newcomer {
protected:
    /// The log file of a host whose job does that.
    std::string log_after(const std::string& what, const std::string& format, int status) {
        site_.add_service("a", {kLedgerA},
                          "log: { file: " + log_file().string() + ", format: " + format + " }");
        site_.enqueue("a", {"a.work", "--input", "{\"then\":\"" + what + "\"}"});
        const Finished run = command({"run", "--until-empty"});
        EXPECT_EQ(run.exit_code, status);
        EXPECT_THAT(run.err, HasSubstr("of job 1 (a.work)"));
        return read_file(log_file());
    }
    std::filesystem::path log_file() const { return site_.folder() / "host.log"; }
};

TEST_F(LastWords, OfAnExitAreInTheLogFileToo) {
    EXPECT_THAT(
        log_after("exit", "text", 70),
        HasSubstr("Z error   plugin ledger-a 1.0.0 called exit() in run() of job 1 (a.work);"));
}

TEST_F(LastWords, OfACrashAreALineOfAJsonLog) {
    const std::string log = log_after("abort", "json", 128 + SIGABRT);

    const std::string last = log.substr(log.rfind('\n', log.size() - 2) + 1);
    const auto line = nlohmann::json::parse(last);
    EXPECT_EQ(line.at("level"), "error");
    EXPECT_THAT(line.at("message").get<std::string>(),
                HasSubstr("crashed in run() of job 1 (a.work) with SIGABRT"));
}

}  // namespace
}  // namespace jobhost::test
