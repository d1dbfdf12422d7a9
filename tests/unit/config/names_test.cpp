#include "config/names.h"

#include <gtest/gtest.h>

namespace jobhost::config {
namespace {

using namespace std::string_literals;

TEST(Name, MayHoldLettersDigitsAndFewMarks) {
    for (const std::string& name : {"a"s, "payments.process"s, "A-b_c:d/e.9"s, "no"s, "1.0"s,
                                    "2024-01-01"s, std::string(128, 'x')}) {
        EXPECT_FALSE(name_problem(name)) << name;
    }
}

TEST(Name, IsRefusedAndNeverCut) {
    const std::pair<std::string, const char*> cases[] = {
        {"", "must not be empty"},
        {std::string(129, 'x'), "must be a name of at most 128 characters"},
        {std::string(5000, ' '), "must be a name of at most 128 characters"},
        {"a b", "must be a name of letters, digits and _ . - : / only, not `a b`"},
        {"*", "must be a name of letters, digits and _ . - : / only, not `*`"},
        {"~", "must be a name of letters, digits and _ . - : / only, not `~`"},
        {"a\0b"s, "must be a name of letters, digits and _ . - : / only, not `a?b`"},
        {"caf\u00e9", "must be a name of letters, digits and _ . - : / only, not `caf\u00e9`"},
        {"cafe\u0301", "must be a name of letters, digits and _ . - : / only, not `cafe\u0301`"},
    };
    for (const auto& [name, expected] : cases) EXPECT_EQ(name_problem(name), expected) << name;
}

TEST(ErrorName, IsTheNameOfAnyCppType) {
    for (const char* name : {"std::invalid_argument", "a::B<int, c::D>", "(anonymous namespace)::X",
                             "A<char const*>", "no"}) {
        EXPECT_FALSE(error_name_problem(name)) << name;
    }
    for (const std::string& name : {""s, " X"s, "X "s, "X\n"s, "X\0Y"s, std::string(513, 'x')}) {
        EXPECT_TRUE(error_name_problem(name)) << name;
    }
}

}  // namespace
}  // namespace jobhost::config
