#include "host/cli/text_table.h"

#include <gtest/gtest.h>

namespace jobhost::cli {
namespace {

using Align = TextTable::Align;

TEST(TextTable, AlignsColumnsAndLeavesNoBlanksAtTheEnd) {
    TextTable table({{"ID", Align::kRight}, {"NAME"}, {"NOTE"}});

    table.add({"7", "a", "x"});
    table.add({"1234", "long name", ""});

    EXPECT_EQ(table.text(false),
              "  ID  NAME       NOTE\n"
              "   7  a          x\n"
              "1234  long name  -\n");
}

TEST(TextTable, CountsCharactersAndNotBytes) {
    TextTable table({{"A"}, {"B"}});

    table.add({"größe", "1"});
    table.add({"ascii", "2"});

    EXPECT_EQ(table.text(false), "A      B\ngröße  1\nascii  2\n");
}

TEST(TextTable, EscapesControlCharactersOfCells) {
    TextTable table({{"A"}});

    table.add({"x\ny\x1b[31m"});

    EXPECT_EQ(table.text(false), "A\nx\\ny\\x1b[31m\n");
}

TEST(TextTable, ColoursOnlyWhenAsked) {
    TextTable table({{"STATE"}});
    table.add({"failed"});

    EXPECT_EQ(table.text(false).find('\x1b'), std::string::npos);
    EXPECT_NE(table.text(true).find("\x1b[31mfailed\x1b[0m"), std::string::npos);
}

}  // namespace
}  // namespace jobhost::cli
