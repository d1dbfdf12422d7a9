#include "config/yaml_tree.h"

#include <gtest/gtest.h>

namespace jobhost::config {
namespace {

using namespace std::string_literals;

std::string problems_of(const std::string& text) {
    std::string all;
    for (const YamlProblem& problem : parse_yaml(text).problems) {
        all += std::to_string(problem.place.line) + ":" + std::to_string(problem.place.column) +
               ": " + problem.message + "\n";
    }
    return all;
}

TEST(YamlTree, KeepsTextQuotesAndPlaces) {
    const YamlFile file = parse_yaml("a: 010\nb: '010'\nc: [x]\n");

    ASSERT_TRUE(file.problems.empty());
    ASSERT_EQ(file.root->entries.size(), 3u);
    const YamlNode& plain = *file.root->entries[0].value;
    const YamlNode& quoted = *file.root->entries[1].value;
    EXPECT_EQ(plain.text, "010");
    EXPECT_FALSE(plain.quoted);
    EXPECT_EQ(plain.place, (Place{1, 4}));
    EXPECT_EQ(quoted.text, "010");
    EXPECT_TRUE(quoted.quoted);
    EXPECT_EQ(file.root->entries[2].value->items.at(0)->place, (Place{3, 5}));
}

TEST(YamlTree, CountsColumnsInCharactersAndSkipsTheByteOrderMark) {
    const YamlFile file = parse_yaml("\xEF\xBB\xBF\u00e9\u00e9: x\n");

    EXPECT_EQ(file.root->entries.at(0).place, (Place{1, 1}));
    EXPECT_EQ(file.root->entries.at(0).value->place, (Place{1, 5}));
}

TEST(YamlTree, TellsAWrittenNullFromNothing) {
    const YamlFile file = parse_yaml("a: ~\nb: null\nc:\nnull: 1\nd: &x\ne: &y Null\nf: 'null'\n");

    ASSERT_TRUE(file.problems.empty());
    const auto& entries = file.root->entries;
    ASSERT_EQ(entries.size(), 7u);
    EXPECT_EQ(entries[0].value->text, "~");
    EXPECT_EQ(entries[1].value->text, "null");
    EXPECT_EQ(entries[2].value->text, "");
    EXPECT_EQ(entries[2].value->place, (Place{3, 1})) << "nothing stands at its key";
    EXPECT_EQ(entries[3].key, "null");
    EXPECT_EQ(entries[4].value->text, "");
    EXPECT_EQ(entries[5].value->text, "Null");
    EXPECT_EQ(entries[6].value->kind, YamlNode::Kind::kScalar);
}

TEST(YamlTree, PutsAnEmptyListItemAtItsDash) {
    const YamlFile file = parse_yaml("k:\n  - a\n  -   # nothing\n\n  - b\n");

    EXPECT_EQ(file.root->entries.at(0).value->items.at(1)->place, (Place{3, 3}));
}

TEST(YamlTree, FollowsAliases) {
    const YamlFile file = parse_yaml("a: &x {k: v}\nb: *x\n");

    EXPECT_TRUE(file.problems.empty());
    EXPECT_EQ(file.root->entries.at(1).value->entries.at(0).key, "k");
}

TEST(YamlTree, OfAnEmptyTextIsNull) {
    for (const char* text : {"", "\n", "# only a comment\n", "---\n", "%YAML 1.2\n---\n"}) {
        const YamlFile file = parse_yaml(text);
        EXPECT_TRUE(file.problems.empty()) << text;
        EXPECT_EQ(file.root->kind, YamlNode::Kind::kNull) << text;
    }
}

TEST(YamlTree, ReportsWhatAStrictFileMayNotHoldBesideTheTree) {
    const std::pair<const char*, const char*> cases[] = {
        {"a: 1\nb: 2\na: 3\na: 4\n",
         "3:1: duplicate key `a`, first set in line 1\n4:1: duplicate key `a`, first set in line "
         "1\n"},
        {"a: {b: 1, 'b': 2}\n", "1:11: duplicate key `b`, first set in line 1\n"},
        {"m: &m {a: 1}\nb:\n  <<: *m\n",
         "3:3: merge keys (<<) are not supported; write the keys out\n"},
        {"? [a]\n: 1\n", "1:3: a key must be text, not a list or a mapping\n"},
        {"a: 1\n---\nb: 2\n---\nc: 3\n", "2:1: a second document begins here; a file holds one\n"},
        {"a: 1\n---\n", "2:1: a second document begins here; a file holds one\n"},
        {"a: !!str 5\n", "1:4: tags are not supported; use quotes to make a value text\n"},
        {"a: !x [1]\n", "1:4: tags are not supported; use quotes to make a value text\n"},
    };
    for (const auto& [text, expected] : cases) {
        EXPECT_EQ(problems_of(text), expected) << text;
        EXPECT_TRUE(parse_yaml(text).root) << text;
    }
    EXPECT_EQ(problems_of("a: 1\n...\n"), "");
    EXPECT_EQ(problems_of("'<<': 1\n"), "") << "in quotes it is a key like any other";
}

TEST(YamlTree, StopsAtWhatIsNotYaml) {
    const std::pair<std::string, const char*> cases[] = {
        {"a: b: c\n", "1:5: not valid YAML: illegal map value\n"},
        {"a: [1\nb: 2\n", "2:2: not valid YAML: end of sequence flow not found\n"},
        {"a:\n  b: 1\n c: 2\n", "3:2: not valid YAML: end of map not found\n"},
        {"a:\n\tb: 1\n", "2:1: not valid YAML: a tab cannot indent, use spaces\n"},
        {"a:\n  b:\n  \tc: 1\n", "3:3: not valid YAML: a tab cannot indent, use spaces\n"},
        {"a: *x\n", "1:4: not valid YAML: the referenced anchor is not defined\n"},
        {"a: &x [*x]\n", "1:8: not valid YAML: an alias inside its own anchor\n"},
        {"a: 'x\nb: 1\n", "1:4: not valid YAML: the quote that opens here is not closed\n"},
        {"a: 1\nb: \"x\\\"\n", "2:4: not valid YAML: the quote that opens here is not closed\n"},
        {"a: &k 'it''s\n", "1:4: not valid YAML: the quote that opens here is not closed\n"},
        {"a: {b: ${C}}\n",
         "1:9: not valid YAML: end of map flow not found (inside { } and [ ], ${NAME} must stand "
         "in quotes)\n"},
        {"a: \u00e9\nb: \u00e9\xFF\n", "2:5: the file is not UTF-8 here\n"},
        {"a: 1\n\0"s, "2:1: control character U+0000 is not allowed here\n"},
        {"a: \x1B[0m\n", "1:4: control character U+001B is not allowed here\n"},
    };
    for (const auto& [text, expected] : cases) {
        EXPECT_EQ(problems_of(text), expected) << text;
        EXPECT_FALSE(parse_yaml(text).root) << text;
    }
}

TEST(YamlTree, AcceptsQuotesThatOnlyLookUnclosed) {
    for (const char* text : {"a: 'it''s'\n", "a: \"x\\\"y\"\n", "a: it's\n", "a: 'x\n  y'\n",
                             "a: ''\n", "a: |\n  'x\n", "a: &k 'x'\n"}) {
        EXPECT_EQ(problems_of(text), "") << text;
    }
}

TEST(YamlTree, BoundsNestingAndWhatAliasesCanMakeOfAText) {
    EXPECT_EQ(problems_of("a: " + std::string(99, '[') + std::string(99, ']')), "");
    EXPECT_EQ(problems_of("a: " + std::string(100, '[') + std::string(100, ']')),
              "1:103: nested deeper than 100 levels\n");
    EXPECT_NE(problems_of(std::string(500'000, '[')).find("nested deeper than 100 levels"),
              std::string::npos);

    std::string bomb = "a0: &a0 x\n";
    std::string chain = "a0: &a0 " + std::string(60, '[') + std::string(60, ']') + "\n";
    for (int i = 1; i < 30; ++i) {
        const std::string name = "a" + std::to_string(i);
        const std::string previous = "*a" + std::to_string(i - 1);
        bomb += name + ": &" + name + " [" + previous + ", " + previous + "]\n";
        chain += name + ": &" + name + " " + std::string(20, '[') + previous +
                 std::string(20, ']') + "\n";
    }
    for (const std::string& text : {bomb, chain}) {
        EXPECT_NE(problems_of(text).find("once aliases are followed"), std::string::npos);
        EXPECT_FALSE(parse_yaml(text).root);
    }
}

TEST(YamlTree, RefusesATextOfMoreThanOneMebibyte) {
    const std::string most = "a: " + std::string((1 << 20) - 4, 'x') + "\n";
    EXPECT_EQ(problems_of(most), "");
    EXPECT_EQ(problems_of(most + "\n"), "1:1: the file is larger than 1 MiB\n");
}

TEST(YamlTree, SurvivesEveryPrefixOfAFile) {
    const std::string text =
        "a: &x { k: 'it''s', l: [1, ~, null] }\r\nb:\n  - *x\n  - |\n    t\n  - \"\\u00e9\"\nc: !t "
        "? x\n";
    for (std::size_t length = 0; length <= text.size(); ++length) {
        const YamlFile file = parse_yaml(text.substr(0, length));
        EXPECT_TRUE(file.root || !file.problems.empty()) << length;
    }
}

}  // namespace
}  // namespace jobhost::config
