#include "host/text/json_writer.h"

#include <limits>

#include <gtest/gtest.h>

namespace jobhost {
namespace {

using namespace std::chrono_literals;

TEST(JsonWriter, PutsCommasBetweenItemsOnly) {
    JsonWriter json;

    json.begin_object().field("a", 1).key("b").begin_array().value(1).value("x").end_array();
    json.key("c").begin_object().end_object().end_object();

    EXPECT_EQ(json.text(), R"({"a":1,"b":[1,"x"],"c":{}})");
}

TEST(JsonWriter, TakesTextLiteralsAsTextAndNotAsTruth) {
    JsonWriter json;

    json.begin_array().value("yes").value(true).value(false).null().end_array();

    EXPECT_EQ(json.text(), R"(["yes",true,false,null])");
}

TEST(JsonWriter, EscapesWhatJsonForbids) {
    JsonWriter json;

    json.value("a\"b\\c\n\x01");

    EXPECT_EQ(json.text(), "\"a\\\"b\\\\c\\n\\u0001\"");
}

TEST(JsonWriter, LeavesRawJsonAsItIs) {
    JsonWriter json;

    json.begin_object().key("input").raw("{ \"a\" : 1e400 }").field("b", 2).end_object();

    EXPECT_EQ(json.text(), R"({"input":{ "a" : 1e400 },"b":2})");
}

TEST(JsonWriter, WritesIdsAsTextAndNoIdAsNull) {
    JsonWriter json;

    json.begin_array().id(9007199254740993).id(0).end_array();

    EXPECT_EQ(json.text(), R"(["9007199254740993",null])");
}

TEST(JsonWriter, WritesDurationsAsExactSeconds) {
    JsonWriter json;

    json.begin_array().seconds(1500ms).seconds(0s).seconds(1us).seconds(-90s).end_array();

    EXPECT_EQ(json.text(), "[1.5,0,0.000001,-90]");
}

TEST(JsonWriter, WritesAbsentValuesAsNull) {
    JsonWriter json;

    json.begin_object()
        .field("none", std::optional<int>())
        .field("some", std::optional<std::string>("x"))
        .text_or_null("empty", "")
        .end_object();

    EXPECT_EQ(json.text(), R"({"none":null,"some":"x","empty":null})");
}

TEST(JsonWriter, WritesNumbersThatJsonHasNotAsNull) {
    JsonWriter json;

    json.begin_array().value(2.5).value(std::numeric_limits<double>::infinity()).end_array();

    EXPECT_EQ(json.text(), "[2.5,null]");
}

TEST(JsonWriter, GoesOnAfterItsTextWasTaken) {
    JsonWriter json;
    json.begin_array().value(1);

    const std::string first = json.take();
    json.value(2).end_array();

    EXPECT_EQ(first + json.take(), "[1,2]");
}

}  // namespace
}  // namespace jobhost
