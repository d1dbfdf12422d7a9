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

Request post(const std::string& origin, const std::string& host = "localhost:8080") {
    Request request;
    request.method = "POST";
    request.host = host;
    request.origin = origin;
    request.peer = "10.0.0.1";
    return request;
}

std::string cookie_of(const Response& response) {
    for (const auto& [name, value] : response.headers) {
        if (name == "Set-Cookie") return value.substr(0, value.find(';'));
    }
    return {};
}

TEST(Guard, AChangeMustComeFromAPageOfThisHostOrFromNoPage) {
    const Guard guard({});

    EXPECT_FALSE(guard.refuse(post(""), Access::kToken));
    EXPECT_FALSE(guard.refuse(post("http://localhost:8080"), Access::kToken));
    EXPECT_FALSE(guard.refuse(post("http://LOCALHOST:8080"), Access::kToken));
    for (const char* other : {"http://evil.example", "null", "http://localhost:8081",
                              "http://localhost", "http://localhost:8080.evil.example"}) {
        const auto refusal = guard.refuse(post(other), Access::kToken);
        ASSERT_TRUE(refusal) << other;
        EXPECT_EQ(refusal->status, 403) << other;
    }
    EXPECT_TRUE(guard.refuse(post("http://evil.example"), Access::kOpen)) << "a login, too";
}

TEST(Guard, ABrowserThatSaysNoOriginSaysWhetherItIsTheSameSite) {
    const Guard guard({});
    Request request = post("");
    request.fetch_site = "cross-site";
    EXPECT_TRUE(guard.refuse(request, Access::kToken));
    request.fetch_site = "same-site";
    EXPECT_TRUE(guard.refuse(request, Access::kToken));
    request.fetch_site = "same-origin";
    EXPECT_FALSE(guard.refuse(request, Access::kToken));
}

TEST(Guard, BehindAProxyTheNameThatPeopleUseCounts) {
    Request request = post("https://jobs.example", "10.0.0.7:8080");
    request.forwarded_host = "jobs.example";

    EXPECT_FALSE(Guard({.behind_proxy = true}).refuse(request, Access::kToken));
    EXPECT_TRUE(Guard({.token = "0123456789abcdef"}).refuse(request, Access::kToken));
}

TEST(Guard, WithoutATokenOnlyNamesOfThisMachineAreAnswered) {
    const Guard guard({});
    for (const char* host :
         {"localhost", "localhost:1", "127.0.0.1:80", "[::1]:80", "[::1]", "a.localhost:80"}) {
        EXPECT_FALSE(guard.refuse(post("", host), Access::kToken)) << host;
    }
    for (const char* host : {"evil.example", "", "127.0.0.1.evil.example", "[::2]:80", "[",
                             "localhost.evil.example:80"}) {
        EXPECT_TRUE(guard.refuse(post("", host), Access::kToken)) << host;
    }
}

TEST(Guard, ALoginGivesACookieThatScriptsAndOtherSitesDoNotSee) {
    const Guard guard({.token = "0123456789abcdef"});
    const Response response = guard.log_in(post(""), "0123456789abcdef");
    ASSERT_EQ(response.status, 204);
    const std::string whole = response.headers.front().second;
    EXPECT_NE(whole.find("; HttpOnly; SameSite=Strict"), std::string::npos) << whole;
    EXPECT_EQ(whole.find("0123456789abcdef"), std::string::npos) << "not the token itself";

    Request request = with("");
    request.cookie = "other=1; " + cookie_of(response);
    EXPECT_FALSE(guard.refuse(request, Access::kToken));

    request.method = "POST";
    EXPECT_TRUE(guard.refuse(request, Access::kToken)) << "a cookie alone changes nothing";
    request.origin = "http://localhost:8080";
    EXPECT_FALSE(guard.refuse(request, Access::kToken));

    guard.log_out(request);
    EXPECT_EQ(guard.refuse(request, Access::kToken)->status, 401);
}

TEST(Guard, WrongTokensOfOneAddressAreLimitedAndOthersStillComeIn) {
    const Guard guard({.token = "0123456789abcdef"});
    for (int i = 0; i < Logins::kMostFailures; ++i) {
        EXPECT_EQ(guard.log_in(post(""), "wrong").status, 401);
    }
    EXPECT_EQ(guard.log_in(post(""), "wrong").status, 429);
    EXPECT_EQ(guard.log_in(post(""), "0123456789abcdef").status, 429) << "no guessing on";
    Request bearer = with("Bearer 0123456789abcdef");
    bearer.peer = "10.0.0.1";
    EXPECT_EQ(guard.refuse(bearer, Access::kToken)->status, 429);

    Request other = post("");
    other.peer = "10.0.0.2";
    EXPECT_EQ(guard.log_in(other, "0123456789abcdef").status, 204);
}

TEST(Logins, EndAfterTwelveHoursAndAreNeverTooMany) {
    Logins logins;
    const Logins::Now begin{};
    const std::string first = logins.begin(begin);
    EXPECT_EQ(first.size(), 64U);
    EXPECT_TRUE(logins.is_valid(first, begin + Logins::kLifetime - std::chrono::seconds(1)));
    EXPECT_FALSE(logins.is_valid(first, begin + Logins::kLifetime));

    for (std::size_t i = 0; i < Logins::kMostSessions; ++i) {
        logins.begin(begin + std::chrono::seconds(1));
    }
    EXPECT_FALSE(logins.is_valid(first, begin + std::chrono::seconds(1)));
}

TEST(Logins, ABlockEndsAfterAMinute) {
    Logins logins;
    const Logins::Now begin{std::chrono::hours(1)};
    for (int i = 0; i < Logins::kMostFailures; ++i) logins.note_failure("a", begin);
    EXPECT_TRUE(logins.is_blocked("a", begin + std::chrono::seconds(59)));
    EXPECT_FALSE(logins.is_blocked("a", begin + std::chrono::seconds(60)));
}

}  // namespace
}  // namespace jobhost::http
