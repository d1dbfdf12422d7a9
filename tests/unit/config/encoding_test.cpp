#include "config/encoding.h"

#include <gtest/gtest.h>

namespace jobhost::config {
namespace {

using namespace std::string_literals;

TEST(Encoding, AcceptsUtf8OfEveryLength) {
    EXPECT_TRUE(is_utf8(""));
    EXPECT_TRUE(is_utf8("a\u00e9\u20ac\U0001F600"));
    EXPECT_TRUE(is_utf8("a\0b"s));
}

TEST(Encoding, RefusesWhatIsNotUtf8) {
    for (const char* text :
         {"\xFF", "\x80", "\xC3", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF0\x80\x80\xAF",
          "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE2\x82", "\xC3("}) {
        EXPECT_FALSE(is_utf8(text)) << ::testing::PrintToString(text);
    }
}

TEST(Encoding, OfAFileAllowsNoControlCharacterButTabAndLineEnds) {
    EXPECT_FALSE(check_encoding("a\tb\r\nc\n\u0085"));
    const std::pair<std::string, std::pair<std::size_t, const char*>> cases[] = {
        {"ab\0"s, {2, "control character U+0000 is not allowed here"}},
        {"\x1B[31m", {0, "control character U+001B is not allowed here"}},
        {"a\rb", {1, "control character U+000D is not allowed here"}},
        {"a\x7F", {1, "control character U+007F is not allowed here"}},
        {"a\u009B", {1, "control character U+009B is not allowed here"}},
        {"ab\xFF", {2, "the file is not UTF-8 here"}},
    };
    for (const auto& [text, expected] : cases) {
        const auto problem = check_encoding(text);
        ASSERT_TRUE(problem) << text;
        EXPECT_EQ(problem->offset, expected.first);
        EXPECT_EQ(problem->message, expected.second);
    }
}

TEST(Quote, HidesControlCharactersAndCutsBetweenCharacters) {
    EXPECT_EQ(quote("a b"), "`a b`");
    EXPECT_EQ(quote("a\x1B\n\xFFz"), "`a???z`");
    std::string many;
    for (int i = 0; i < 100; ++i) many += "\u20ac";
    const std::string quoted = quote(many);
    EXPECT_LT(quoted.size(), 70u);
    EXPECT_TRUE(is_utf8(quoted));
    EXPECT_TRUE(quoted.ends_with("…`"));
}

}  // namespace
}  // namespace jobhost::config
