// The API of a working host: the same rules and words as the command line.
#include <csignal>
#include <fstream>
#include <regex>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/process/jobhost_process.h"
#include "tests/support/http_client.h"

namespace jobhost::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kReliability = JOBHOST_PLUGINS "/reliability.so";

struct Answer {
    int status = 0;
    std::string head = {};
    std::string body = {};
    json document() const { return json::parse(body); }
};

class Api : public ::testing::Test {
protected:
    pid_t start(const std::string& rest = "", const std::string& http = "") {
        site_.add_service("a", {kReliability},
                          "http: { listen: \"127.0.0.1:0\"" + http +
                              " }\n"
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

    Answer send(const std::string& method, const std::string& path, const std::string& body = "",
                const std::string& headers = "Content-Type: application/json\r\n") const {
        HttpClient client(port_);
        client.send(method + " /api/v1" + path +
                    " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: " +
                    std::to_string(body.size()) + "\r\n" + headers + "\r\n" + body);
        const std::string text = client.read_all();
        const std::size_t end = text.find("\r\n\r\n");
        if (end == std::string::npos) return {};
        return {.status = std::stoi(text.substr(9, 3)),
                .head = text.substr(0, end),
                .body = text.substr(end + 4)};
    }
    Answer get(const std::string& path) const { return send("GET", path); }
    Answer post(const std::string& path, const std::string& body = "") const {
        return send("POST", path, body);
    }

    bool reaches(const std::string& id, const std::string& state) const {
        return eventually([&] { return get("/jobs/" + id).document()["state"] == state; });
    }

    Site site_;
    int port_ = 0;
};

TEST_F(Api, AJobIsEnqueuedRunAndShownWithTheBytesOfItsInput) {
    start();
    const Answer stored =
        post("/jobs", R"({"type":"demo.noop","input":{ "n":1.50 },"tags":["x"]})");
    ASSERT_EQ(stored.status, 201) << stored.body;
    const std::string id = stored.document()["id"];
    EXPECT_THAT(stored.head, HasSubstr("Location: /api/v1/jobs/" + id));

    ASSERT_TRUE(reaches(id, "succeeded"));
    EXPECT_THAT(get("/jobs/" + id).body, HasSubstr(R"("input":{ "n":1.50 })"));
    EXPECT_FALSE(get("/jobs/" + id + "?input=false").document().contains("input"));
    const Answer input = get("/jobs/" + id + "/input");
    EXPECT_EQ(input.body, R"({ "n":1.50 })");
    EXPECT_THAT(input.head, HasSubstr("Content-Disposition: attachment"));
    EXPECT_THAT(get("/jobs/" + id + "/why").document()["why"].get<std::string>(),
                StartsWith("it succeeded"));
    EXPECT_EQ(get("/jobs/" + id).document()["source"], "http");
}

TEST_F(Api, SaysTheSameAsTheCommandLine) {
    start("retry: { max_attempts: 1 }");
    const std::string bad = site_.enqueue("a", {"demo.deadletter"});
    ASSERT_TRUE(site_.reaches("a", bad, "failed"));
    ASSERT_TRUE(site_.dead_letters_end("a"));

    const std::vector<std::pair<std::string, std::vector<std::string>>> pairs = {
        {"/jobs", {"jobs", "list"}},
        {"/jobs?state=failed&type=demo.deadletter",
         {"jobs", "list", "--state", "failed", "--type", "demo.deadletter"}},
        {"/jobs/" + bad, {"jobs", "show", bad}},
        {"/jobs/" + bad + "/why", {"why", bad}},
        {"/queues", {"queues"}},
        {"/types", {"types"}},
        {"/stats", {"stats"}},
        {"/deadletter", {"deadletter", "list"}},
        {"/types/demo.noop/policy",
         {"explain", "demo.noop", "--node", site_.json("a", {"nodes"})["items"][0]["id"]}},
    };
    for (const auto& [path, words] : pairs) {
        EXPECT_EQ(get(path).document(), site_.json("a", words)) << path;
    }
}

TEST_F(Api, FailuresAreGroupedAndOneGroupIsRequeued) {
    start("retry: { max_attempts: 1 }");
    std::vector<std::string> bad;
    for (int i = 0; i < 5; ++i) bad.push_back(site_.enqueue("a", {"demo.deadletter"}));
    for (const std::string& id : bad) ASSERT_TRUE(site_.reaches("a", id, "failed"));
    ASSERT_TRUE(site_.dead_letters_end("a"));

    const json groups = get("/failures").document();
    ASSERT_EQ(groups["items"].size(), 1U) << groups;
    EXPECT_EQ(groups["items"][0]["count"], 5);
    EXPECT_EQ(groups["items"][0]["type"], "demo.deadletter");
    EXPECT_THAT(groups["items"][0]["frame"].get<std::string>(), HasSubstr("AlwaysFails::execute"));
    const std::string group = groups["items"][0]["group"];
    EXPECT_EQ(get("/jobs/count?group=" + group).document()["count"], 5);

    const std::string filter = R"({"filter":{"group":")" + group + R"("})";
    const json would = post("/jobs/requeue", filter + R"(,"dry_run":true})").document();
    EXPECT_EQ(would["would"], 5);
    EXPECT_EQ(would["more"], false);
    EXPECT_EQ(site_.state("a", bad[0]), "failed") << "a dry run changes nothing";

    const json done = post("/jobs/requeue", filter + "}").document();
    EXPECT_EQ(done["done"], 5);
    EXPECT_EQ(done["items"].size(), 5U);
    ASSERT_TRUE(eventually([&] { return get("/failures").document()["items"][0]["count"] == 5; }))
        << "they fail again";
    EXPECT_EQ(site_.json("a", {"jobs", "list", "--group", group})["items"].size(), 5U);
}

TEST_F(Api, OneJobIsCancelledRequeuedAndDeleted) {
    start();
    const std::string later =
        post("/jobs", R"({"type":"demo.noop","delay":"1h"})").document()["id"];

    EXPECT_EQ(post("/jobs/" + later + "/cancel").document()["outcome"], "done");
    const Answer again = post("/jobs/" + later + "/cancel");
    EXPECT_EQ(again.status, 409);
    EXPECT_THAT(again.document()["detail"].get<std::string>(), HasSubstr("is cancelled"));
    EXPECT_EQ(get("/jobs/" + later).document()["cancel_requested_by"], nullptr);
    EXPECT_EQ(post("/jobs/" + later + "/requeue", R"({"fresh":true})").document()["state"],
              "enqueued");
    ASSERT_TRUE(reaches(later, "succeeded"));
    EXPECT_EQ(send("DELETE", "/jobs/" + later).status, 200);
    EXPECT_EQ(get("/jobs/" + later).status, 404);
    EXPECT_EQ(send("DELETE", "/jobs/" + later).status, 404);
}

TEST_F(Api, ManyJobsGoInAllOrNoneFromAnArrayOrFromLines) {
    start();
    EXPECT_EQ(post("/jobs/bulk", R"({"jobs":[{"type":"demo.noop"},{"type":"demo.noop"}]})").status,
              201);
    const Answer bad = post("/jobs/bulk", R"({"jobs":[{"type":"demo.noop"},{"type":""}]})");
    EXPECT_EQ(bad.status, 400);
    EXPECT_EQ(bad.document()["detail"], "nothing was stored: /jobs/1: the type is empty");
    const std::string lines = "{\"type\":\"demo.noop\"}\n\n{\"type\":\"demo.noop\",\"x\":1}\n";
    const Answer bad_line =
        send("POST", "/jobs/bulk", lines, "Content-Type: application/x-ndjson\r\n");
    EXPECT_EQ(bad_line.document()["detail"],
              "nothing was stored: line 3: the key \"x\" is not known");
    EXPECT_EQ(get("/jobs/count").document()["count"], 2);
}

TEST_F(Api, AKeyThatIsTakenIsAnswered) {
    start();
    const std::string body =
        R"({"type":"demo.noop","idempotency_key":"k","on_duplicate":"reject_always")";
    const std::string id = post("/jobs", body + R"(,"delay":"1h"})").document()["id"];

    const Answer same = post("/jobs", body + "}");
    EXPECT_EQ(same.status, 200) << "nothing was made";
    EXPECT_EQ(same.document()["duplicate"], true);
    EXPECT_EQ(same.document()["id"], id);

    ASSERT_EQ(post("/jobs/" + id + "/cancel").status, 200);
    const Answer refused = post("/jobs", body + "}");
    EXPECT_EQ(refused.status, 409);
    EXPECT_THAT(refused.document()["detail"].get<std::string>(), HasSubstr("job " + id));
}

TEST_F(Api, AKeyNeverMakesASecondJobWhileTheFirstIsRunAndEnds) {
    start();
    for (int i = 0; i < 50; ++i) {
        const std::string body = R"({"type":"demo.noop","idempotency_key":"k)" + std::to_string(i) +
                                 R"(","on_duplicate":"reject_always"})";
        const std::string id = post("/jobs", body).document()["id"];
        for (int again = 0; again < 3; ++again) {
            const Answer answer = post("/jobs", body);
            EXPECT_TRUE(answer.status == 409 || answer.document()["id"] == id)
                << answer.status << answer.body;
        }
    }
    EXPECT_EQ(get("/jobs/count").document()["count"], 50);
}

TEST_F(Api, APauseStopsClaimsUntilItEnds) {
    start();
    EXPECT_EQ(post("/queues/default/pause").document()["changed"], true);
    const std::string id = post("/jobs", R"({"type":"demo.noop"})").document()["id"];
    EXPECT_EQ(get("/jobs/" + id + "/why").document()["code"], "paused_queue");
    EXPECT_THAT(get("/overview").document()["warnings"][0]["text"].get<std::string>(),
                StartsWith("queue default is paused by http 127.0.0.1: 1 job waits behind it"));
    EXPECT_EQ(post("/queues/default/resume").document()["changed"], true);
    EXPECT_TRUE(reaches(id, "succeeded"));
    EXPECT_THAT(post("/queues/defalt/pause").document()["warning"].get<std::string>(),
                HasSubstr("did you mean `default`?"));
}

TEST_F(Api, ADeadLetterRunIsDoneAgain) {
    start("retry: { max_attempts: 1 }");
    const std::string bad = site_.enqueue("a", {"demo.deadletter"});
    ASSERT_TRUE(site_.reaches("a", bad, "failed"));
    ASSERT_TRUE(site_.dead_letters_end("a"));
    const std::string run = get("/deadletter?job=" + bad).document()["items"][0]["id"];

    const Answer again = post("/deadletter/" + run + "/rerun");
    ASSERT_EQ(again.status, 201) << again.body;
    EXPECT_EQ(again.document()["rerun_of"], run);
    ASSERT_TRUE(site_.dead_letters_end("a"));
    EXPECT_EQ(get("/deadletter?job=" + bad + "&state=succeeded").document()["items"].size(), 2U);
    EXPECT_EQ(post("/deadletter/999/rerun").status, 404);
}

TEST_F(Api, NodesReadTheirConfigurationAgain) {
    start();
    const json answer = post("/reload").document();
    EXPECT_EQ(answer["items"][0]["reloaded"], true) << answer;
    EXPECT_EQ(post("/reload", R"({"service":"nobody"})").status, 404);
    EXPECT_EQ(post("/reload", R"({"wait":"soon"})").status, 400);
}

TEST_F(Api, NonsenseIsFourHundredWithOneSentence) {
    start();
    const std::vector<std::tuple<std::string, std::string, std::string, std::string>> all = {
        {"GET", "/jobs?state=broken", "", "state broken: the states are"},
        {"GET", "/jobs?since=yesterday", "", "since yesterday: give a duration"},
        {"GET", "/jobs?limit=1001", "", "limit 1001: give a whole number from 1 to 1000"},
        {"GET", "/jobs?after=zzz", "", "\"zzz\" is not a place that a list gave"},
        {"GET", "/jobs?stat=failed", "", "the parameter stat is not known"},
        {"GET", "/jobs/0", "", "`0` is not an id"},
        {"GET", "/deadletter?state=late", "", "state late: the states are owed"},
        {"POST", "/jobs", "{", "nothing was stored: not a JSON object"},
        {"POST", "/jobs", R"({"typ":"x"})", "nothing was stored: the key \"typ\" is not known"},
        {"POST", "/jobs", R"({"type":"x","delay":"soon"})", "nothing was stored: delay "},
        {"POST", "/jobs/requeue", "{}", "which jobs?"},
        {"POST", "/jobs/requeue", R"({"ids":["1"],"filter":{"type":"x"}})", "give ids or a filter"},
        {"POST", "/jobs/requeue", R"({"filter":{"stat":"x"}})", "the key \"filter.stat\""},
        {"POST", "/queues/a b/pause", "", "the path of the request is broken"},
        {"POST", "/queues/%00/pause", "", "the path of the request is broken"},
        {"POST", "/queues/a%20b/pause", "", "the name of the queue "},
    };
    for (const auto& [method, path, body, sentence] : all) {
        const Answer answer = send(method, path, body);
        EXPECT_EQ(answer.status, 400) << path << ' ' << body << answer.body;
        if (path.find(' ') != std::string::npos) continue;
        EXPECT_THAT(answer.head, HasSubstr("application/problem+json")) << path;
        EXPECT_THAT(answer.document()["detail"].get<std::string>(), HasSubstr(sentence)) << path;
    }
    EXPECT_EQ(send("POST", "/jobs", "type=x", "Content-Type: text/plain\r\n").status, 415);
    EXPECT_EQ(send("PUT", "/jobs").status, 405);
    EXPECT_EQ(get("/jobs/count").document()["count"], 0) << "and changes nothing";
}

/// What people and attackers put into texts.
const std::vector<std::string> kHostile = {
    "<script>alert(1)</script>",    "\"><img src=x onerror=alert(1)>",
    "' OR 1=1; DROP TABLE job; --", "\u202Eevil\u2066",
    std::string("a\0b", 3),         "\xff\xfe broken utf-8",
    "\\u0000 \\ \" ' \n \r \t",     std::string(1024 * 1024 - 2, 'x'),
};

TEST_F(Api, HostileTextsStayTextOnEveryRoute) {
    start();
    for (const std::string& text : kHostile) {
        // As an input: valid JSON comes back byte for byte, anything else is refused.
        const std::string input = json(text).dump(-1, ' ', false, json::error_handler_t::replace);
        const Answer stored = post("/jobs", R"({"type":"demo.noop","input":)" + input + "}");
        if (input.size() > 1024 * 1024) {
            EXPECT_EQ(stored.status, 400) << stored.body;
        } else {
            ASSERT_EQ(stored.status, 201) << stored.body;
            const std::string id = stored.document()["id"];
            EXPECT_EQ(get("/jobs/" + id + "/input").body, input);
        }
        // Anywhere else: an answer that is JSON, never a page and never a fault.
        std::string escaped;
        for (const char byte : text.substr(0, 2000)) {
            char code[4];
            std::snprintf(code, sizeof code, "%%%02X", static_cast<unsigned char>(byte));
            escaped += code;
        }
        for (const char* place : {"/jobs?type=", "/jobs?error=", "/jobs?tag=", "/jobs?group=",
                                  "/jobs?after=", "/jobs/", "/types/", "/deadletter?job="}) {
            const Answer answer = get(place + escaped);
            EXPECT_LT(answer.status, 500) << place << answer.body;
            EXPECT_GE(answer.status, 200) << place;
            EXPECT_TRUE(json::accept(answer.body)) << place;
            EXPECT_THAT(answer.head, HasSubstr("json")) << place;
        }
    }
    const std::string deep(2000, '[');
    EXPECT_EQ(post("/jobs", R"({"type":"demo.noop","input":)" + deep + "}").status, 400);
    EXPECT_EQ(post("/jobs/requeue", deep).status, 400);
    EXPECT_EQ(send("POST", "/jobs", std::string("{\"type\":\"a\0b\"}", 14)).status, 400);
}

TEST_F(Api, WithATokenOnlyItAndItsLoginComeIn) {
    const auto token_file = site_.folder() / "token";
    std::ofstream(token_file) << "0123456789abcdef\n";
    std::filesystem::permissions(token_file, std::filesystem::perms::owner_read);
    start("", ", token_file: \"" + token_file.string() + "\"");

    for (const char* path : {"/jobs", "/overview", "/events", "/nodes", "/jobs/1/input"}) {
        EXPECT_EQ(get(path).status, 401) << path;
    }
    EXPECT_EQ(get("/session").document(), json({{"login_needed", true}, {"logged_in", false}}));
    EXPECT_EQ(send("GET", "/jobs", "", "Authorization: Bearer 0123456789abcdef\r\n").status, 200);

    EXPECT_EQ(post("/session", R"({"token":"wrong"})").status, 401);
    const Answer login = post("/session", R"({"token":"0123456789abcdef"})");
    ASSERT_EQ(login.status, 204);
    std::smatch found;
    ASSERT_TRUE(std::regex_search(login.head, found, std::regex("Set-Cookie: ([^;]+);")));
    const std::string cookie = "Cookie: " + found[1].str() + "\r\n";
    EXPECT_EQ(send("GET", "/jobs", "", cookie).status, 200);

    const std::string json_type = "Content-Type: application/json\r\n";
    const std::string body = R"({"type":"demo.noop"})";
    EXPECT_EQ(send("POST", "/jobs", body, cookie + json_type).status, 403) << "no origin";
    EXPECT_EQ(send("POST", "/jobs", body, cookie + json_type + "Origin: http://evil\r\n").status,
              403);
    EXPECT_EQ(
        send("POST", "/jobs", body, cookie + json_type + "Origin: http://localhost\r\n").status,
        201);
    EXPECT_EQ(send("DELETE", "/session", "", cookie + "Origin: http://localhost\r\n").status, 204);
    EXPECT_EQ(send("GET", "/jobs", "", cookie).status, 401);
}

TEST_F(Api, EventsTellTheOverviewAtOnceAndAgainAndEndWithTheHost) {
    const pid_t host = start();
    HttpClient client(port_);
    client.send("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const std::string first = client.read_until("\n\n");
    EXPECT_THAT(first, HasSubstr("Content-Type: text/event-stream"));
    const std::string event = client.read_until("\n\n");
    ASSERT_THAT(event, StartsWith("event: overview\ndata: {")) << first;
    post("/jobs", R"({"type":"demo.noop"})");
    EXPECT_TRUE(eventually(
        [&] { return client.read_until("\n\n").find("\"succeeded\":1,") != std::string::npos; }));

    site_.signal(host, SIGTERM);
    EXPECT_EQ(site_.wait(host, 20s), 0);
}

TEST_F(Api, ClientsThatReadNothingHoldNobodyUp) {
    start();
    std::vector<std::unique_ptr<HttpClient>> lazy;
    for (int i = 0; i < 50; ++i) {
        lazy.push_back(std::make_unique<HttpClient>(port_));
        lazy.back()->send("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }
    const std::string id = post("/jobs", R"({"type":"demo.noop"})").document()["id"];
    EXPECT_TRUE(reaches(id, "succeeded"));
    EXPECT_EQ(get("/stats").status, 200);
}

}  // namespace
}  // namespace jobhost::test
