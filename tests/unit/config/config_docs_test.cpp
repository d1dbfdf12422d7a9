#include <fstream>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/yaml_tree.h"
#include "tests/unit/config/parse.h"

namespace jobhost::config {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::IsSupersetOf;
using ::testing::Not;

std::string text_of(const std::string& name) {
    std::ifstream stream(std::string(JOBHOST_CONFIG_DIR) + "/" + name);
    std::ostringstream text;
    text << stream.rdbuf();
    EXPECT_TRUE(stream.good()) << name;
    return text.str();
}

/// `retry` and `timeout` are the same keys in a queue and in a job type as at the top level.
std::string without_level(const std::string& key) {
    for (const std::string level : {"queues[].", "jobs.<type>."}) {
        const std::string rest = key.starts_with(level) ? key.substr(level.size()) : "";
        if (rest.starts_with("retry") || rest == "timeout") return rest;
    }
    return key;
}

std::set<std::string> known_keys_without_levels() {
    std::set<std::string> keys;
    for (const std::string& key : known_keys()) keys.insert(without_level(key));
    return keys;
}

/// The keys of a tree in the form of known_keys().
void collect_keys(const YamlNode& node, const std::string& path, std::set<std::string>& keys) {
    for (const YamlNodePtr& item : node.items) collect_keys(*item, path + "[]", keys);
    for (const YamlEntry& entry : node.entries) {
        const bool is_type = path == "jobs";
        const bool is_error = path.ends_with("retry.on");
        const std::string name = is_type ? "<type>" : is_error ? "<error>" : entry.key;
        const std::string key = path.empty() ? name : path + "." + name;
        keys.insert(without_level(key));
        if (name != "settings") collect_keys(*entry.value, key, keys);
    }
}

/// The sample file with every setting switched on that a `#` switches off.
std::string with_all_settings(const std::string& sample, const std::set<std::string>& except) {
    std::istringstream lines(sample);
    std::string all;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t mark = line.find_first_not_of(' ');
        const bool is_comment = mark != std::string::npos && line[mark] == '#';
        const bool is_prose = line.substr(mark == std::string::npos ? 0 : mark, 2) == "# " &&
                              line.substr(mark, 3) != "#  ";
        if (is_comment && !is_prose) line.erase(mark, 1);
        bool dropped = false;
        for (const std::string& start : except) dropped = dropped || line.starts_with(start);
        if (!dropped) all += line + "\n";
    }
    return all;
}

TEST(KnownKeys, CoverEveryLevelOfThePolicy) {
    const auto keys = known_keys();

    EXPECT_THAT(keys, IsSupersetOf({"service", "storage.url_file", "plugins.load[].settings",
                                    "queues[].workers", "retry.delay", "queues[].retry.delay",
                                    "jobs.<type>.retry.on.<error>.delay", "jobs.<type>.timeout",
                                    "jobs.<type>.dead_letter.delivery", "retention.keys"}));
    EXPECT_THAT(keys, AllOf(Not(Contains("queues[].retry.do_not_retry")),
                            Not(Contains("retry.on.<error>.on"))));
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
}

TEST(Reference, NamesEveryKeyInItsTableAndNoOther) {
    std::set<std::string> named;
    std::istringstream lines(text_of("README.md"));
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("| `")) named.insert(line.substr(3, line.find('`', 3) - 3));
    }

    EXPECT_EQ(named, known_keys_without_levels());
}

TEST(SampleFile, LoadsWithAnEmptyEnvironmentAndIsAllDefaults) {
    const auto config = parse(text_of("jobhost.yaml"));
    ASSERT_TRUE(config) << to_string(config.error());

    Config expected;
    expected.storage.url = "sqlite:///var/lib/jobhost/jobs.db";
    expected.storage.path = "/var/lib/jobhost/jobs.db";
    Config found = *config;
    EXPECT_EQ(found.policy.retry.values.max_attempts, 10);
    EXPECT_EQ(found.policy.timeout, Duration::zero());
    found.policy = {};
    found.queues.at(0).where = "";
    EXPECT_EQ(found, expected);
}

TEST(SampleFile, HoldsEveryKey) {
    const YamlFile file = parse_yaml(with_all_settings(text_of("jobhost.yaml"), {}));
    ASSERT_TRUE(file.root && file.problems.empty());
    std::set<std::string> keys;
    collect_keys(*file.root, "", keys);

    EXPECT_EQ(keys, known_keys_without_levels());
}

TEST(SampleFile, LoadsWithEverySettingSwitchedOn) {
    const std::string sample = text_of("jobhost.yaml");
    const std::set<std::string> alternatives{"  url_file:", "  token_file:", "  delay:"};

    const auto config = parse(with_all_settings(sample, alternatives));

    ASSERT_TRUE(config) << to_string(config.error());
    EXPECT_EQ(config->plugins.load.size(), 1u);
    EXPECT_EQ(config->policy.retry.on.size(), 2u);
    EXPECT_TRUE(config->jobs.contains("payments.process"));
}

}  // namespace
}  // namespace jobhost::config
