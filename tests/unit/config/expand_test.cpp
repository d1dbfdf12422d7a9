#include "config/expand.h"

#include <gtest/gtest.h>

namespace jobhost::config {
namespace {

std::optional<std::string> environment(const std::string& name) {
    if (name == "A") return "alpha";
    if (name == "B_2") return "beta";
    if (name == "EMPTY") return "";
    if (name == "NESTED") return "${A}";
    if (name == "BINARY") return "\xFF";
    return std::nullopt;
}

TEST(Expand, ReplacesVariables) {
    const std::pair<const char*, const char*> cases[] = {
        {"", ""},
        {"plain", "plain"},
        {"${A}", "alpha"},
        {"x${A}-${B_2}y", "xalpha-betay"},
        {"${EMPTY}", ""},
        {"${EMPTY:-d}", "d"},
        {"${NOPE:-d e:f}", "d e:f"},
        {"${NOPE:-}", ""},
        {"${A:-d}", "alpha"},
        {"${NESTED}", "${A}"},
        {"$A $ $$ $(A) 5$", "$A $ $$ $(A) 5$"},
        {"$${A}", "${A}"},
        {"$$${A}", "$${A}"},
        {"$${A}${A}", "${A}alpha"},
        {"{A}", "{A}"},
    };
    for (const auto& [text, expected] : cases) {
        const auto expanded = expand(text, environment);
        ASSERT_TRUE(expanded) << text << ": " << expanded.error();
        EXPECT_EQ(expanded->text, expected) << text;
    }
}

TEST(Expand, TellsWhetherTheEnvironmentTookPart) {
    EXPECT_TRUE(expand("${A}", environment)->from_environment);
    EXPECT_TRUE(expand("${NOPE:-d}", environment)->from_environment);
    EXPECT_FALSE(expand("$${A}", environment)->from_environment);
    EXPECT_FALSE(expand("plain", environment)->from_environment);
}

TEST(Expand, NamesTheVariableThatItCannotReplace) {
    const std::pair<const char*, const char*> cases[] = {
        {"a${NOPE}",
         "environment variable NOPE is not set (${NOPE:-default} would give it a default)"},
        {"${A", "`${A` has no closing }"},
        {"${}", "`${}` does not name an environment variable (write $${ for a literal ${)"},
        {"${1A}", "`${1A}` does not name an environment variable (write $${ for a literal ${)"},
        {"${A B}", "`${A B}` does not name an environment variable (write $${ for a literal ${)"},
        {"${A-d}", "`${A-d}` does not name an environment variable (write $${ for a literal ${)"},
        {"${NOPE:-${A}}", "the default of ${NOPE} cannot itself hold a ${"},
        {"${BINARY}", "environment variable BINARY is not UTF-8"},
    };
    for (const auto& [text, expected] : cases) {
        const auto expanded = expand(text, environment);
        ASSERT_FALSE(expanded) << text;
        EXPECT_EQ(expanded.error(), expected);
    }
}

}  // namespace
}  // namespace jobhost::config
