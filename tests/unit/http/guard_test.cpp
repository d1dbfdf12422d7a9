#include "host/http/guard.h"

#include <gtest/gtest.h>

namespace jobhost::http {
namespace {

Request with(const std::string& authorization) {
    Request request;
    request.method = "GET";
    request.host = "localhost:8080";
    request.authorization = authorization;
    return request;
}

TEST(Guard, WithoutATokenEverybodyComesIn) {
    EXPECT_FALSE(Guard({}).refuse(with(""), Access::kToken));
}

TEST(Guard, TheTokenComesInWithWhateverCaseOfTheScheme) {
    const Guard guard({.token = "0123456789abcdef"});

    EXPECT_FALSE(guard.refuse(with("Bearer 0123456789abcdef"), Access::kToken));
    EXPECT_FALSE(guard.refuse(with("bearer 0123456789abcdef"), Access::kToken));
}

TEST(Guard, AnythingElseIsToldHowToComeIn) {
    const Guard guard({.token = "0123456789abcdef"});

    for (const char* wrong :
         {"", "0123456789abcdef", "Bearer", "Bearer ", "Bearer 0123456789abcde",
          "Bearer 0123456789abcdeg", "Bearer 0123456789abcdef ", "Basic 0123456789abcdef"}) {
        const auto refusal = guard.refuse(with(wrong), Access::kToken);
        ASSERT_TRUE(refusal) << wrong;
        EXPECT_EQ(refusal->status, 401);
        EXPECT_EQ(refusal->headers.front().first, "WWW-Authenticate");
        EXPECT_EQ(refusal->body.find("0123456789abcdef"), std::string::npos)
            << "no secret is shown";
    }
}

TEST(Guard, OpenRoutesAskNobody) {
    EXPECT_FALSE(Guard({.token = "0123456789abcdef"}).refuse(with(""), Access::kOpen));
}

}  // namespace
}  // namespace jobhost::http
