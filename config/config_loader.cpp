#include "config/config_loader.h"

#include <cstdlib>
#include <set>
#include <utility>

#include "config/config_reader.h"
#include "config/file_text.h"
#include "config/map_reader.h"
#include "config/read_context.h"
#include "config/yaml_tree.h"

namespace jobhost::config {
namespace {

constexpr std::size_t kLargestFile = 1024 * 1024;

/// The order of preference: what cannot be read as YAML hides everything else.
tl::expected<Config, ConfigErrors> read_file_tree(const YamlFile& file, ReadContext& context) {
    for (const YamlProblem& problem : file.problems) {
        context.error(problem.place, "", problem.message);
    }
    Config config;
    if (file.root) {
        const YamlNode& node = *file.root;
        if (node.kind == YamlNode::Kind::kMap || node.kind == YamlNode::Kind::kNull) {
            MapReader root(&node, {}, "", "", context);
            config = read_config(root);
        } else {
            context.error(node.place, "", "the file must be a mapping of keys to values");
        }
    }
    ConfigErrors errors = context.take_errors();
    if (!errors.empty()) return tl::unexpected(std::move(errors));
    return config;
}

}  // namespace

std::string to_string(const ConfigError& error) {
    if (error.line == 0) return error.file + ": " + error.message;
    return error.file + ":" + std::to_string(error.line) + ":" + std::to_string(error.column) +
           ": " + error.message;
}

std::string to_string(const ConfigErrors& errors) {
    std::string text;
    for (const ConfigError& error : errors) text += to_string(error) + "\n";
    return text;
}

std::optional<std::string> process_environment(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
}

tl::expected<Config, ConfigErrors> load_config(const std::filesystem::path& file) {
    const auto text = read_file(file, kLargestFile);
    if (!text) {
        return tl::unexpected(
            ConfigErrors{{.file = file.string(), .message = "the file " + text.error()}});
    }
    return parse_config(*text, file.string(), std::filesystem::absolute(file).parent_path(),
                        process_environment);
}

tl::expected<Config, ConfigErrors> parse_config(std::string_view text, const std::string& file_name,
                                                const std::filesystem::path& base_dir,
                                                const EnvironmentLookup& environment) {
    ReadContext context(file_name, base_dir, environment);
    return read_file_tree(parse_yaml(text), context);
}

std::vector<std::string> known_keys() {
    std::set<std::string> keys;
    ReadContext context("", "/", [](const std::string&) { return std::nullopt; });
    context.record_keys_into(keys);
    MapReader root(nullptr, {}, "", "", context);
    read_config(root);
    return {keys.begin(), keys.end()};
}

}  // namespace jobhost::config
