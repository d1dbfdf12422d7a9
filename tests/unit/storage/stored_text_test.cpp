#include "storage/stored_text.h"

#include <gtest/gtest.h>

#include "storage/utf8.h"

namespace jobhost {
namespace {

TEST(StorableText, GoodTextStaysAsItIs) {
    const std::string text = "line\n\ttab \xe2\x82\xac \xf0\x9f\x98\x80";
    EXPECT_EQ(storable_text(text, 1000), text);
    EXPECT_EQ(storable_text("", 1000), "");
}

TEST(StorableText, NulAndInvalidBytesAreEscaped) {
    EXPECT_EQ(storable_text(std::string("a\0b", 3), 1000), "a\\x00b");
    EXPECT_EQ(storable_text("\xff\xc3", 1000), "\\xff\\xc3");
    EXPECT_EQ(storable_text("\xed\xa0\x80", 1000), "\\xed\\xa0\\x80");  // a surrogate
    EXPECT_EQ(storable_text("\xe2\x82", 1000), "\\xe2\\x82");           // cut off
}

TEST(StorableText, LongTextIsCutAndSaysHowMuch) {
    const std::string cut = storable_text(std::string(1000, 'x'), 100);

    EXPECT_LE(cut.size(), 100U);
    const std::size_t kept = cut.find("...");
    EXPECT_EQ(cut.substr(kept), "... " + std::to_string(1000 - kept) + " bytes cut");
}

TEST(StorableText, ATextOfExactlyTheLimitIsNotCut) {
    const std::string text(100, 'x');
    EXPECT_EQ(storable_text(text, 100), text);
}

TEST(StorableText, IsNeverCutInsideACharacterOrAnEscape) {
    std::string euros;
    for (int i = 0; i < 100; ++i) euros += "\xe2\x82\xac";
    for (std::size_t limit = 64; limit < 80; ++limit) {
        const std::string cut = storable_text(euros, limit);
        EXPECT_LE(cut.size(), limit);
        EXPECT_TRUE(is_utf8(cut));
        const std::string escaped = storable_text(std::string(300, '\0'), limit);
        EXPECT_LE(escaped.size(), limit);
        EXPECT_EQ(escaped.find("...") % 4, 0U);
    }
}

}  // namespace
}  // namespace jobhost
