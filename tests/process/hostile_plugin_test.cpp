// Code of a plugin that throws, hangs or never returns: nobody else is held up, and it is said.
#include <csignal>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/process/jobhost_process.h"

namespace jobhost::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kReliability = JOBHOST_PLUGINS "/reliability.so";
constexpr const char* kLedgerA = LEDGER_PLUGINS "/ledger_a.so";

class HostilePlugin : public ::testing::Test {
protected:
    void SetUp() override {
        site_.add_service("a", {kReliability, kLedgerA},
                          "queues: [ { name: default, workers: 2 } ]\n"
                          "retry: { max_attempts: 1 }\n"
                          "shutdown: { grace: 100ms, cancel: 200ms }\n"
                          "dead_letter: { workers: 4 }");
    }

    std::string enqueue(const std::string& input) {
        return site_.enqueue("a", {"a.work", "--input", input});
    }
    nlohmann::json show(const std::string& id) { return site_.json("a", {"jobs", "show", id}); }

    Site site_;
};

TEST_F(HostilePlugin, HandlersThatThrowOrHangHoldUpNoJobAndDoNotStopTheHost) {
    const std::filesystem::path hold = site_.ledger().string() + ".hold";
    const std::ofstream made{hold};
    const pid_t host = site_.start("a");
    // As many as the pool has threads, and all deaf to the request to stop.
    for (int i = 0; i < 4; ++i) enqueue(R"({"fail": 9, "handler": "hold"})");
    ASSERT_TRUE(eventually([&] { return site_.ledger_lines("dead").size() == 4; }));
    for (const char* how : {"throw", "int"}) {
        enqueue(std::string(R"({"fail": 9, "handler": ")") + how + R"(", "forward": ")" + how +
                "\"}");
    }
    std::string batch;
    for (int i = 0; i < 200; ++i) batch += "{\"type\":\"a.work\",\"input\":{}}\n";
    ASSERT_EQ(site_.command("a", {"enqueue", "--bulk"}, batch).exit_code, 0);

    EXPECT_TRUE(eventually([&] { return site_.ledger_lines("done").size() == 200; }));
    EXPECT_EQ(site_.sql("SELECT count(*) FROM dead_letter WHERE state = 1"), "4");

    std::filesystem::remove(hold);
    ASSERT_TRUE(site_.dead_letters_end("a"));
    EXPECT_EQ(site_.sql("SELECT count(*) FROM dead_letter WHERE state = 3 AND "
                        "error = 'std::runtime_error: no mail server'"),
              "2");
    EXPECT_EQ(site_.sql("SELECT count(*) FROM dead_letter WHERE state = 3 AND "
                        "error = 'int: exception of type int'"),
              "2");
    site_.signal(host, SIGTERM);
    EXPECT_EQ(site_.wait(host, 20s), 0);
}

TEST_F(HostilePlugin, AHandlerThatNeverReturnsDoesNotHoldUpTheStop) {
    const std::ofstream made{site_.ledger().string() + ".hold"};
    const pid_t host = site_.start("a");
    enqueue(R"({"fail": 9, "handler": "hold"})");
    ASSERT_TRUE(eventually([&] { return site_.ledger_lines("dead").size() == 1; }));

    site_.signal(host, SIGTERM);

    EXPECT_EQ(site_.wait(host, 20s), 0);
    EXPECT_EQ(site_.sql("SELECT state FROM dead_letter WHERE kind = 1"), "5") << "interrupted";
}

TEST_F(HostilePlugin, ATimedOutJobThatNeverReturnsKeepsItsSlotAndWhySaysSo) {
    const pid_t host = site_.start("a");
    const std::string id =
        site_.enqueue("a", {"demo.stubborn", "--input", "{\"ms\":60000}", "--timeout", "150ms"});
    ASSERT_TRUE(site_.reaches("a", id, "processing"));

    std::string why;
    EXPECT_TRUE(eventually([&] {
        why = site_.command("a", {"why", id}).out;
        return why.find("has passed") != std::string::npos;
    }));
    EXPECT_THAT(why, HasSubstr("its time limit of 0.15 s has passed, so it was asked to stop: it "
                               "holds its worker slot until it returns, and no retry runs beside "
                               "it"));
    EXPECT_EQ(site_.json("a", {"why", id}).at("code"), "stopping");

    // The stop commits what was decided when the limit passed.
    site_.signal(host, SIGTERM);
    EXPECT_EQ(site_.wait(host, 20s), 0);
    EXPECT_EQ(show(id).at("state"), "failed");
    EXPECT_EQ(show(id).at("last_error").at("type"), "jobhost::TimeoutError");
}

TEST_F(HostilePlugin, APayloadThatCannotBeReadNamesItsPlaceAndNoFrameOfTheSdk) {
    const std::string id = enqueue(R"({"ms": "soon"})");

    EXPECT_EQ(site_.command("a", {"run", "--until-empty"}).exit_code, 0);

    const auto error = show(id).at("last_error");
    EXPECT_EQ(error.at("type"), "jobhost::PayloadError");
    EXPECT_THAT(error.at("message").get<std::string>(), HasSubstr("(/ms) type must be number"));
    EXPECT_EQ(error.at("stack_trace"), "");
}

TEST_F(HostilePlugin, TheStackOfAThrowBeginsWithItsLineInThePlugin) {
    const std::string id = enqueue(R"({"then": "int"})");

    EXPECT_EQ(site_.command("a", {"run", "--until-empty"}).exit_code, 0);

    const auto stack = show(id).at("last_error").at("stack_trace").get<std::string>();
    const std::string first = stack.substr(0, stack.find('\n'));
    EXPECT_THAT(first, StartsWith("#0 "));
    EXPECT_THAT(first, HasSubstr("execute"));
    EXPECT_THAT(first, HasSubstr("ledger.cpp:"));
}

}  // namespace
}  // namespace jobhost::test
