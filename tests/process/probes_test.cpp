// What machines ask a working host over HTTP.
#include <csignal>
#include <fstream>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/process/jobhost_process.h"
#include "tests/support/http_client.h"

namespace jobhost::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kReliability = JOBHOST_PLUGINS "/reliability.so";

class Probes : public ::testing::Test {
protected:
    pid_t start(const std::string& rest = "") {
        site_.add_service("a", {kReliability},
                          "http: { listen: \"127.0.0.1:0\" }\n"
                          "heartbeat: { interval: 200ms, timeout: 10s }\n" +
                              rest);
        const pid_t host = site_.start("a");
        std::smatch found;
        EXPECT_TRUE(eventually([&] {
            const std::string log = site_.log_of(host);
            const bool listens =
                std::regex_search(log, found, std::regex("127.0.0.1, port (\\d+)"));
            if (listens) port_ = std::stoi(found[1]);
            return listens;
        }));
        return host;
    }
    std::string get(const std::string& target, const std::string& headers = "") {
        return http_get(port_, target, headers);
    }

    Site site_;
    int port_ = 0;
};

TEST_F(Probes, AWorkingHostIsAliveAndReady) {
    start();

    EXPECT_THAT(get("/healthz"), HasSubstr(R"({"alive":true})"));
    EXPECT_TRUE(eventually([&] {
        return get("/readyz").find(R"({"ready":true,"reasons":[]})") != std::string::npos;
    }));
    EXPECT_THAT(get("/nothing"), StartsWith("HTTP/1.1 404 "));
}

TEST_F(Probes, MetricsCountWhatTheHostDid) {
    start("retry: { max_attempts: 1 }");
    const std::string good = site_.enqueue("a", {"demo.noop"});
    const std::string bad = site_.enqueue("a", {"demo.deadletter"});
    ASSERT_TRUE(site_.reaches("a", good, "succeeded"));
    ASSERT_TRUE(site_.reaches("a", bad, "failed"));
    ASSERT_TRUE(site_.dead_letters_end("a"));

    const std::string metrics = get("/metrics");

    EXPECT_THAT(metrics, HasSubstr("text/plain; version=0.0.4"));
    EXPECT_THAT(metrics, HasSubstr("jobhost_jobs_succeeded_total 1\n"));
    EXPECT_THAT(metrics, HasSubstr("jobhost_jobs_failed_total 1\n"));
    EXPECT_THAT(metrics, HasSubstr("jobhost_dead_letter_handled_total 1\n"));
    EXPECT_THAT(metrics, HasSubstr("jobhost_job_run_seconds_count 2\n"));
    EXPECT_THAT(metrics, HasSubstr("jobhost_workers_busy 0\n"));
    EXPECT_THAT(metrics, HasSubstr("jobhost_jobs{state=\"failed\"} 1\n"));
    EXPECT_THAT(metrics, HasSubstr("jobhost_queue_waiting{queue=\"default\"} 0\n"));
}

TEST_F(Probes, AHostWhoseHeartbeatCannotBeStoredIsAliveAndNotReady) {
    start();
    {
        const auto locked = site_.block_outcomes();
        EXPECT_TRUE(eventually([&] {
            return get("/readyz").find("heartbeat is not stored on time") != std::string::npos;
        }));
        EXPECT_THAT(get("/readyz"), StartsWith("HTTP/1.1 503 "));
        EXPECT_THAT(get("/healthz"), StartsWith("HTTP/1.1 200 "));
    }
    EXPECT_TRUE(eventually([&] { return get("/readyz").starts_with("HTTP/1.1 200 "); }));
}

TEST_F(Probes, AStoppingHostIsAliveAndNotReadyUntilItsJobsHaveEnded) {
    const pid_t host = start();
    const std::string id = site_.enqueue("a", {"demo.sleep", "--input", "{\"ms\":1500}"});
    ASSERT_TRUE(site_.reaches("a", id, "processing"));

    site_.signal(host, SIGTERM);

    EXPECT_TRUE(eventually(
        [&] { return get("/readyz").find("this node is stopping") != std::string::npos; }, 1s));
    EXPECT_THAT(get("/healthz"), StartsWith("HTTP/1.1 200 "));
    EXPECT_EQ(site_.wait(host, 20s), 0);
    EXPECT_EQ(get("/healthz"), "");
}

TEST_F(Probes, ATokenGuardsMetricsButNotHealth) {
    std::ofstream(site_.folder() / "token") << "0123456789abcdef\n";
    site_.add_service("a", {kReliability},
                      "http: { listen: \"127.0.0.1:0\", token_file: " +
                          (site_.folder() / "token").string() + " }");
    const pid_t host = site_.start("a");
    std::smatch found;
    const std::string log = site_.log_of(host);
    ASSERT_TRUE(std::regex_search(log, found, std::regex("127.0.0.1, port (\\d+)")));
    port_ = std::stoi(found[1]);

    EXPECT_THAT(get("/metrics"), StartsWith("HTTP/1.1 401 "));
    EXPECT_THAT(get("/metrics", "Authorization: Bearer 0123456789abcdef\r\n"),
                StartsWith("HTTP/1.1 200 "));
    EXPECT_THAT(get("/healthz"), StartsWith("HTTP/1.1 200 "));
    EXPECT_EQ(log.find("0123456789abcdef"), std::string::npos);
}

TEST_F(Probes, APortThatIsTakenEndsTheStartWithOneSentence) {
    start();
    site_.add_service("b", {kReliability},
                      "http: { listen: \"127.0.0.1:" + std::to_string(port_) + "\" }");

    const Finished second = site_.command("b", {"run"});

    EXPECT_EQ(second.exit_code, 1);
    EXPECT_THAT(second.err, HasSubstr("http.listen: cannot listen on 127.0.0.1:" +
                                      std::to_string(port_) + ": Address already in use"));
}

}  // namespace
}  // namespace jobhost::test
