#include "host/http/server.h"

#include <latch>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/http_client.h"

namespace jobhost::http {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class ServerTest : public testing::Test {
protected:
    ServerTest() {
        router.add("GET", "/hello", Access::kOpen,
                   [](const Request&, const Places&) { return Response{.body = "hi"}; });
        router.add(
            "POST", "/echo", Access::kOpen,
            [](const Request& request, const Places&) { return Response{.body = request.body}; },
            {.body_bytes = 1000});
    }

    void start(ServerLimits limits = {}) { server.emplace("127.0.0.1", 0, router, limits); }

    Router router{Guard({})};
    std::optional<Server> server;
};

TEST_F(ServerTest, AnswersWithHeadersThatKeepBrowsersSafe) {
    start();

    const std::string answer = http_get(server->port(), "/hello");

    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(answer, HasSubstr("X-Content-Type-Options: nosniff\r\n"));
    EXPECT_THAT(answer, HasSubstr("Content-Security-Policy: default-src 'none'"));
    EXPECT_THAT(answer, HasSubstr("Cache-Control: no-store\r\n"));
    EXPECT_THAT(answer, EndsWith("\r\n\r\nhi"));
}

TEST_F(ServerTest, OneConnectionMayAskManyTimes) {
    start();
    HttpClient client(server->port());

    for (int i = 0; i < 3; ++i) {
        client.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n");
        EXPECT_THAT(client.read_until("\r\n\r\nhi"), StartsWith("HTTP/1.1 200"));
    }
}

TEST_F(ServerTest, AHeadRequestHasTheLengthAndNoBody) {
    start();
    HttpClient client(server->port());

    client.send("HEAD /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    const std::string answer = client.read_all();

    EXPECT_THAT(answer, HasSubstr("Content-Length: 2\r\n"));
    EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
}

TEST_F(ServerTest, ABodyAsLongAsAllowedArrivesWholeAndALongerOneIsRefused) {
    start();
    const auto post = [&](std::size_t size) {
        HttpClient client(server->port());
        client.send(
            "POST /echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: " +
            std::to_string(size) + "\r\n\r\n" + std::string(size, 'x'));
        return client.read_all();
    };

    EXPECT_THAT(post(1000), EndsWith("\r\n\r\n" + std::string(1000, 'x')));
    EXPECT_THAT(post(1001), StartsWith("HTTP/1.1 413 "));
}

TEST_F(ServerTest, ALongHeaderIsRefused) {
    start({.header_bytes = 1024});

    EXPECT_THAT(http_get(server->port(), "/hello", "X-Long: " + std::string(2000, 'x') + "\r\n"),
                StartsWith("HTTP/1.1 431 "));
}

TEST_F(ServerTest, NonsenseIsAnsweredAndClosed) {
    start();
    for (const char* nonsense :
         {"\x16\x03\x01\x02\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9\r\n\r\n"}) {
        HttpClient client(server->port());
        client.send(nonsense);
        EXPECT_THAT(client.read_all(), StartsWith("HTTP/1.1 400 ")) << nonsense;
    }
    EXPECT_THAT(http_get(server->port(), "/%zz"), StartsWith("HTTP/1.1 400 "));
}

TEST_F(ServerTest, SilentClientsAreDroppedAndHoldNobodyUp) {
    start({.answerers = 1, .patience = 300ms});
    HttpClient silent(server->port());
    HttpClient half(server->port());
    half.send("GET /hello HT");

    EXPECT_THAT(http_get(server->port(), "/hello"), EndsWith("hi"));
    EXPECT_THAT(silent.read_all(), IsEmpty());
    EXPECT_THAT(half.read_all(), IsEmpty());
}

TEST_F(ServerTest, MoreConnectionsThanAllowedAreClosedAndComeInLater) {
    start({.connections = 2});
    {
        HttpClient first(server->port());
        HttpClient second(server->port());
        for (HttpClient* client : {&first, &second}) {
            client->send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n");
            EXPECT_THAT(client->read_until("\r\n\r\nhi"), StartsWith("HTTP/1.1 200"));
        }
        EXPECT_THAT(http_get(server->port(), "/hello"), IsEmpty());
    }
    std::string answer;
    for (int i = 0; i < 1000 && answer.empty(); ++i) answer = http_get(server->port(), "/hello");
    EXPECT_THAT(answer, Not(IsEmpty()));
}

TEST_F(ServerTest, APortThatIsTakenIsOneSentence) {
    start();
    try {
        Server("127.0.0.1", server->port(), router);
        FAIL() << "it listens twice";
    } catch (const std::runtime_error& error) {
        EXPECT_EQ(std::string(error.what()),
                  "cannot listen on 127.0.0.1:" + std::to_string(server->port()) +
                      ": Address already in use");
    }
}

TEST_F(ServerTest, ItsEndClosesOpenConnections) {
    start();
    HttpClient client(server->port());
    client.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n");
    client.read_until("hi");

    server.reset();

    EXPECT_THAT(client.read_all(), IsEmpty());
}

}  // namespace
}  // namespace jobhost::http
