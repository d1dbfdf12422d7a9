#include "host/http/router.h"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jobhost::http {
namespace {

using testing::HasSubstr;

class RouterTest : public testing::Test {
protected:
    RouterTest() {
        router.add("GET", "/jobs/{id}", Access::kOpen, [](const Request&, const Places& places) {
            return Response{.body = "job " + places.at(0)};
        });
        router.add("POST", "/jobs", Access::kToken,
                   [](const Request&, const Places&) { return Response{.status = 201}; });
        router.add("GET", "/broken", Access::kOpen, [](const Request&, const Places&) -> Response {
            throw std::runtime_error("no \"luck\"");
        });
        router.failed = [this](const std::string& sentence) { said = sentence; };
    }

    Response ask(const std::string& method, const std::string& path) {
        Request request;
        request.method = method;
        request.path = path;
        return router.answer(request);
    }

    Router router{Guard({.token = "0123456789abcdef"})};
    std::string said;
};

TEST_F(RouterTest, APlaceOfThePatternReachesTheHandler) {
    EXPECT_EQ(ask("GET", "/jobs/42").body, "job 42");
    EXPECT_EQ(ask("HEAD", "/jobs/42").status, 200);
}

TEST_F(RouterTest, WhatIsNotThereIsAProblemThatNamesIt) {
    const Response response = ask("GET", "/jobs/42/");

    EXPECT_EQ(response.status, 404);
    EXPECT_EQ(response.content_type, "application/problem+json");
    EXPECT_EQ(response.body,
              R"({"title":"Not Found","status":404,"detail":"there is nothing at /jobs/42/"})");
}

TEST_F(RouterTest, AnotherMethodIsToldWhichOnesThereAre) {
    const Response response = ask("DELETE", "/jobs/42");

    EXPECT_EQ(response.status, 405);
    EXPECT_EQ(response.headers.front(), std::make_pair(std::string("Allow"), std::string("GET")));
}

TEST_F(RouterTest, TheGuardIsAskedBeforeTheHandler) {
    EXPECT_EQ(ask("POST", "/jobs").status, 401);
}

TEST_F(RouterTest, WhatAHandlerThrowsIsAnAnswerAndIsSaid) {
    const Response response = ask("GET", "/broken");

    EXPECT_EQ(response.status, 500);
    EXPECT_THAT(response.body, HasSubstr(R"(no \"luck\")"));
    EXPECT_EQ(said, "GET /broken: no \"luck\"");
}

}  // namespace
}  // namespace jobhost::http
