#include "config/yaml_to_json.h"

#include <gtest/gtest.h>

namespace jobhost::config {
namespace {

std::string json_of(const std::string& yaml, std::string* errors = nullptr) {
    ReadContext context("j.yaml", "/", [](const std::string& name) -> std::optional<std::string> {
        if (name == "PORT") return "8080";
        if (name == "TOKEN") return "a\"b, c: d";
        return std::nullopt;
    });
    const YamlFile file = parse_yaml(yaml);
    if (!file.root) {
        ADD_FAILURE() << file.problems.at(0).message;
        return "";
    }
    std::string json = yaml_to_json(*file.root, "settings", context);
    const std::string found = to_string(context.take_errors());
    if (errors == nullptr) {
        EXPECT_EQ(found, "");
    } else {
        *errors = found;
    }
    return json;
}

TEST(YamlToJson, KeepsKindsThatAreJsonAndMakesTheRestStrings) {
    const std::pair<const char*, const char*> cases[] = {
        {"true", "true"},
        {"false", "false"},
        {"True", "\"True\""},
        {"yes", "\"yes\""},
        {"null", "null"},
        {"~", "null"},
        {"", "null"},
        {"Null", "\"Null\""},
        {"0", "0"},
        {"-0", "-0"},
        {"42", "42"},
        {"-7", "-7"},
        {"1.50", "1.50"},
        {"1e3", "1e3"},
        {"1.5E-3", "1.5E-3"},
        {"010", "\"010\""},
        {"0x10", "\"0x10\""},
        {"+5", "\"+5\""},
        {".5", "\".5\""},
        {"5.", "\"5.\""},
        {".inf", "\".inf\""},
        {"1e", "\"1e\""},
        {"--1", "\"--1\""},
        {"1_000", "\"1_000\""},
        {"\"42\"", "\"42\""},
        {"'true'", "\"true\""},
        {"'~'", "\"~\""},
        {"2024-01-01", "\"2024-01-01\""},
        {"123456789012345678901234567890", "123456789012345678901234567890"},
        {"${PORT}", "\"8080\""},
        {"${NOPE:-true}", "\"true\""},
        {"${TOKEN}", "\"a\\\"b, c: d\""},
        {"$${PORT}", "\"${PORT}\""},
    };
    for (const auto& [yaml, expected] : cases) {
        EXPECT_EQ(json_of("k: " + std::string(yaml)), "{\"k\":" + std::string(expected) + "}")
            << yaml;
    }
}

TEST(YamlToJson, KeepsTheOrderOfKeysAndNesting) {
    EXPECT_EQ(json_of("z: 1\na: [x, {}, [], {b: [1, 2]}]\nm: {}\n"),
              "{\"z\":1,\"a\":[\"x\",{},[],{\"b\":[1,2]}],\"m\":{}}");
}

TEST(YamlToJson, EscapesStringsAndKeys) {
    EXPECT_EQ(json_of("\"q\\\"\": \"\\\\ \\n \\0 \\x1f / \u20ac\"\n"),
              "{\"q\\\"\":\"\\\\ \\u000a \\u0000 \\u001f / \u20ac\"}");
    EXPECT_EQ(json_of("t: |\n  two\n  lines\n"), "{\"t\":\"two\\u000alines\\u000a\"}");
}

TEST(YamlToJson, ReportsVariablesThatAreNotSet) {
    std::string errors;
    json_of("a:\n  - ${NOPE}\n", &errors);
    EXPECT_EQ(errors,
              "j.yaml:2:5: settings.a[0]: environment variable NOPE is not set (${NOPE:-default} "
              "would give it a default)\n");
}

}  // namespace
}  // namespace jobhost::config
