#include "host/http/parameters.h"

#include <gtest/gtest.h>

#include "host/api/request_error.h"

namespace jobhost::http {
namespace {

template <class Body>
std::string mistake_in(const Body& body) {
    try {
        body();
    } catch (const api::RequestError& error) {
        EXPECT_EQ(error.kind(), api::RequestError::Kind::kBad);
        return error.what();
    }
    return "no mistake";
}

Request with(std::multimap<std::string, std::string, std::less<>> query) {
    Request request;
    request.query = std::move(query);
    return request;
}

TEST(QueryParameters, AreTakenOneByOne) {
    QueryParameters query(
        with({{"state", "a"}, {"state", "b"}, {"limit", "7"}, {"input", "false"}}));

    EXPECT_EQ(query.texts("state"), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(query.number("limit", 50, 1, 1000), 7);
    EXPECT_EQ(query.number("more", 50, 1, 1000), 50);
    EXPECT_FALSE(query.truth("input", true));
    EXPECT_TRUE(query.truth("other", true));
    EXPECT_EQ(mistake_in([&] { query.end(); }), "no mistake");
}

TEST(QueryParameters, SayWhatIsWrong) {
    const auto number = [](const std::string& words) {
        return mistake_in([&] {
            QueryParameters(with({{"limit", words}})).number("limit", 1, 1, 9);
        });
    };
    EXPECT_EQ(number("0"), "limit 0: give a whole number from 1 to 9");
    EXPECT_EQ(number("10"), "limit 10: give a whole number from 1 to 9");
    EXPECT_EQ(number("3x"), "limit 3x: give a whole number from 1 to 9");
    EXPECT_EQ(number(""), "limit is empty: give a value, or leave it out");
    EXPECT_EQ(mistake_in([] {
                  QueryParameters(with({{"q", "1"}, {"q", "2"}})).text("q");
              }),
              "q stands there twice");
    EXPECT_EQ(mistake_in([] {
                  QueryParameters(with({{"x", "yes"}})).truth("x", true);
              }),
              "x yes: give true or false");
    EXPECT_EQ(mistake_in([] {
                  QueryParameters(with({{"stat", "1"}})).end();
              }),
              "the parameter stat is not known");
}

TEST(BodyParameters, AreTakenOneByOneAndNullIsNotThere) {
    BodyParameters body(R"({"a":"x\u0041","b":true,"c":["1","2"],"d":{"e":1.0},"f":null})");

    EXPECT_EQ(body.text("a"), "xA");
    EXPECT_TRUE(body.truth("b"));
    EXPECT_EQ(body.texts("c"), (std::vector<std::string>{"1", "2"}));
    EXPECT_EQ(body.json("d"), R"({"e":1.0})");
    EXPECT_EQ(body.text("f"), "");
    EXPECT_EQ(body.texts("g"), std::nullopt);
    EXPECT_EQ(mistake_in([&] { body.end(); }), "no mistake");
}

TEST(BodyParameters, MayBeEmpty) {
    for (const char* empty : {"", " \n", "{}"}) {
        EXPECT_EQ(mistake_in([&] { BodyParameters(empty).end(); }), "no mistake") << empty;
    }
}

TEST(BodyParameters, SayWhatIsWrong) {
    EXPECT_TRUE(
        mistake_in([] { BodyParameters("[1]"); }).starts_with("the body is not a JSON object"));
    EXPECT_TRUE(mistake_in([] {
                    BodyParameters("x", "filter");
                }).starts_with("filter is not a JSON object"));
    EXPECT_EQ(mistake_in([] { BodyParameters(R"({"a":1,"a":2})"); }),
              "the key \"a\" stands there twice");
    EXPECT_EQ(mistake_in([] { BodyParameters(R"({"a":1})").text("a"); }), "a must be a string");
    EXPECT_EQ(mistake_in([] { BodyParameters(R"({"a":1})", "filter").text("a"); }),
              "filter.a must be a string");
    EXPECT_EQ(mistake_in([] { BodyParameters(R"({"a":1})").truth("a"); }),
              "a must be true or false");
    EXPECT_EQ(mistake_in([] { BodyParameters(R"({"a":["x",1]})").texts("a"); }),
              "a must be an array of strings");
    EXPECT_EQ(mistake_in([] { BodyParameters(R"({"a":"x"})").texts("a"); }),
              "a must be an array of strings");
    EXPECT_EQ(mistake_in([] { BodyParameters(R"({"dry":true})").end(); }),
              "the key \"dry\" is not known");
}

}  // namespace
}  // namespace jobhost::http
