#include "storage/json_text.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/enqueue_rules.h"
#include "storage/utf8.h"

namespace jobhost {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::Optional;

std::string nested(int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']');
}

TEST(CheckJson, AcceptsEveryKindOfValue) {
    const std::vector<std::string> texts = {
        "null", "true", "false", "0", "-0", "-0.0", "12.5e-3", "1E+9", R"("")", R"("text")", "[]",
        "{}", "[1,2]", R"({"a":{"b":[null]}})", " \t\r\n [ 1 , { \"a\" : 2 } ] \n",
        // No library has to be able to hold a number.
        "1e400", "-1e-999999", "18446744073709551616", std::string(5000, '9'),
        R"("\" \\ \/ \b \f \n \r \t \u00e9 \uD83D\uDE00")", R"("\u0000")",
        // The grammar allows escaped halves of surrogate pairs.
        R"("\ud800")", R"("\udc00 \ud83d x")", "\"\x7F\"",
        "\"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80\"", R"({"":0,"":1})",
        "\"" + std::string(100'000, 'x') + "\""};

    for (const std::string& text : texts) {
        EXPECT_EQ(check_json(text), std::nullopt) << text.substr(0, 60);
    }
}

TEST(CheckJson, RefusesWhatIsNotJsonWithTheByteOffset) {
    struct Case {
        std::string text;
        std::string reason;
    };
    const std::vector<Case> cases = {
        {"", "expected a value but the text ends at byte 0"},
        {"  ", "expected a value but the text ends at byte 2"},
        {"\xEF\xBB\xBFnull", "the text has a byte order mark at byte 0"},
        {"nul", "expected a value at byte 0"},
        {"nullx", "expected the end of the text at byte 4"},
        {"True", "expected a value at byte 0"},
        {"NaN", "expected a value at byte 0"},
        {"-Infinity", "expected a value at byte 0"},
        {"1 2", "expected the end of the text at byte 2"},
        {"null\0"s, "expected the end of the text at byte 4"},
        {"01", "expected the end of the text at byte 1"},
        {"+1", "expected a value at byte 0"},
        {".5", "expected a value at byte 0"},
        {"1.", "expected a digit at byte 2"},
        {"1.e5", "expected a digit at byte 2"},
        {"1e", "expected a digit at byte 2"},
        {"1e+", "expected a digit at byte 3"},
        {"0x10", "expected the end of the text at byte 1"},
        {"[1,]", "expected a value at byte 3"},
        {"[,1]", "expected a value at byte 1"},
        {"[1 2]", "expected ',' or ']' at byte 3"},
        {"[1}", "expected ',' or ']' at byte 2"},
        {"[", "expected a value but the text ends at byte 1"},
        {"[1", "expected ',' or ']' at byte 2"},
        {"]", "expected a value at byte 0"},
        {"{", "expected a key in quotes at byte 1"},
        {"{a:1}", "expected a key in quotes at byte 1"},
        {"{'a':1}", "expected a key in quotes at byte 1"},
        {R"({"a"})", "expected ':' at byte 4"},
        {R"({"a":})", "expected a value at byte 5"},
        {R"({"a":1,})", "expected a key in quotes at byte 7"},
        {R"({"a":1]})", "expected ',' or '}' at byte 6"},
        {R"({"a":1} x)", "expected the end of the text at byte 8"},
        {"// x\n1", "expected a value at byte 0"},
        {"[1] // x", "expected the end of the text at byte 4"},
        {"\"abc", "a string without its closing quote at byte 0"},
        {R"("abc\")", "a string without its closing quote at byte 0"},
        {"\"a\nb\"", "a control character in a string at byte 2"},
        {"\"a\0b\""s, "a control character in a string at byte 2"},
        {"\"0123456789\tb\"", "a control character in a string at byte 11"},
        {R"("\x41")", "an unknown escape at byte 1"},
        {R"("\)", "an unknown escape at byte 1"},
        {R"("\u12")", "expected four hexadecimal digits after \\u at byte 1"},
        {R"("\u12G4")", "expected four hexadecimal digits after \\u at byte 1"},
        {"'a'", "expected a value at byte 0"},
    };

    for (const Case& one : cases) {
        EXPECT_THAT(check_json(one.text), Optional(one.reason)) << one.text;
    }
}

TEST(CheckJson, RefusesInvalidUtf8AnywhereInAString) {
    const std::vector<std::string> sequences = {
        "\x80",          "\xC0\x80",         "\xC1\xBF",         "\xE0\x80\x80", "\xED\xA0\x80",
        "\xED\xBF\xBF",  "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF5",         "\xFF",
        "\xC3",          "\xE2\x82",         "\xF0\x9F\x98",     "\xC3(",        "\xE2(\xA1",
        "\xF0\x9F(\x80", "\xFE\xFF"};

    for (const std::string& bytes : sequences) {
        for (const std::size_t before : {0U, 1U, 6U, 7U, 8U, 30U}) {
            const std::string text = "\"" + std::string(before, 'a') + bytes + "\"";
            EXPECT_THAT(check_json(text),
                        Optional("invalid UTF-8 at byte " + std::to_string(before + 1)));
        }
        EXPECT_FALSE(is_utf8("abc" + bytes));
    }
    EXPECT_TRUE(is_utf8("a\0b \xF4\x8F\xBF\xBF \xED\x9F\xBF \xEE\x80\x80"s));
}

TEST(CheckJson, AllowsNestingOf256AndNoMore) {
    EXPECT_EQ(check_json(nested(256)), std::nullopt);
    EXPECT_THAT(check_json(nested(257)), Optional("nested deeper than 256 at byte 256"s));
    EXPECT_THAT(check_json(std::string(1'000'000, '[')),
                Optional("nested deeper than 256 at byte 256"s));
    EXPECT_THAT(check_json(std::string(300, ' ') + nested(1)), testing::Eq(std::nullopt));
}

TEST(CheckJson, CountsOpenContainersAndNotAllOfThem) {
    std::string text = "[";
    for (int i = 0; i < 1000; ++i) text += i == 0 ? "[{}]" : ",[{}]";
    text += "]";

    EXPECT_EQ(check_json(text), std::nullopt);
}

std::vector<JsonMember> members_of(std::string_view text) {
    auto result = json_members(text);
    const auto* members = std::get_if<std::vector<JsonMember>>(&result);
    EXPECT_NE(members, nullptr) << text;
    return members == nullptr ? std::vector<JsonMember>{} : *members;
}

TEST(JsonMembers, GiveTheExactBytesOfEachValue) {
    const auto members = members_of(
        " { \"type\" : \"a.b\" ,\"input\": { \"x\" : [1, 2.50,1e400 ,\"}]\\\"\"] } , "
        "\"n\":-0.0\n} ");

    ASSERT_EQ(members.size(), 3U);
    EXPECT_EQ(members[0].key, "type");
    EXPECT_EQ(members[0].value, "\"a.b\"");
    EXPECT_EQ(members[1].key, "input");
    EXPECT_EQ(members[1].value, "{ \"x\" : [1, 2.50,1e400 ,\"}]\\\"\"] }");
    EXPECT_EQ(members[2].value, "-0.0");
}

TEST(JsonMembers, DecodeKeysSoThatARepeatedOneIsSeenInAnySpelling) {
    const auto members = members_of(R"({"input":1,"a":2,"\u0069nput":3})");

    const JsonMember* repeated = find_repeated_key(members);

    ASSERT_NE(repeated, nullptr);
    EXPECT_EQ(repeated->key, "input");
    EXPECT_EQ(repeated->value, "3");
    EXPECT_EQ(find_repeated_key(members_of(R"({"a":1,"A":2,"a ":{"a":1}})")), nullptr);
}

TEST(JsonMembers, AreEmptyForAnEmptyObject) {
    EXPECT_TRUE(members_of("{}").empty());
    EXPECT_TRUE(members_of("{ }").empty());
}

TEST(JsonMembers, OfAnythingButAnObjectAreAMistake) {
    for (const std::string text : {"[]", "1", "\"{}\"", "null"}) {
        const auto result = json_members(text);
        ASSERT_TRUE(std::holds_alternative<JsonMistake>(result)) << text;
        EXPECT_EQ(std::get<JsonMistake>(result).sentence(), "expected an object at byte 0");
    }
    const auto broken = json_members("{\"a\":1}}");
    ASSERT_TRUE(std::holds_alternative<JsonMistake>(broken));
    EXPECT_EQ(std::get<JsonMistake>(broken).offset, 7U);
}

TEST(JsonElements, AreTheExactBytesOfEachElement) {
    const auto result = json_elements(R"([ {"a" : 1}, "x,]" ,3.0,[ ] , null ])");

    const auto* elements = std::get_if<std::vector<std::string_view>>(&result);
    ASSERT_NE(elements, nullptr);
    EXPECT_THAT(*elements, ElementsAre(R"({"a" : 1})", R"("x,]")", "3.0", "[ ]", "null"));
    EXPECT_TRUE(std::holds_alternative<JsonMistake>(json_elements("{}")));
}

TEST(JsonStringValue, DecodesEscapesAndSurrogatePairs) {
    EXPECT_THAT(json_string_value(R"("a\"\\\/\b\f\n\r\tz")"), Optional("a\"\\/\b\f\n\r\tz"s));
    EXPECT_THAT(json_string_value(R"("\u00e9\u20AC\ud83d\uDE00\u0000")"),
                Optional("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\0"s));
    EXPECT_THAT(json_string_value(R"("\ud83dx\udc00")"), Optional("\xEF\xBF\xBDx\xEF\xBF\xBD"s));
    EXPECT_THAT(json_string_value(R"("\ud83d\u0041")"), Optional("\xEF\xBF\xBD"s
                                                                 "A"));
    EXPECT_EQ(json_string_value("12"), std::nullopt);
    EXPECT_EQ(json_string_value("null"), std::nullopt);
}

TEST(JsonString, IsJsonWhateverTheBytes) {
    std::string every_byte;
    for (int byte = 0; byte < 256; ++byte) every_byte.push_back(static_cast<char>(byte));

    const std::string json = json_string(every_byte);

    EXPECT_EQ(check_json(json), std::nullopt);
    EXPECT_THAT(json, testing::HasSubstr("\xEF\xBF\xBD"));
    EXPECT_EQ(json_string("a\"b\\c\n\0\x1F\x7F"s), R"("a\"b\\c\n\u0000\u001f\u007f")");
}

TEST(JsonString, ComesBackAsItWas) {
    const std::string text = "\"quoted\" \\ \n\t\0 \xC3\xA9 \xF0\x9F\x98\x80"s;

    EXPECT_THAT(json_string_value(json_string(text)), Optional(text));
}

}  // namespace
}  // namespace jobhost
