#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "config/config.h"

namespace jobhost::config {

/// One thing wrong with a file. Lines and columns count from 1; columns count characters, a tab is
/// one. Both are 0 when the file as a whole is meant (it cannot be read).
struct ConfigError {
    std::string file = {};
    int line = 0;
    int column = 0;
    std::string message = {};  ///< a sentence that starts with the key it is about

    bool operator==(const ConfigError&) const = default;
};

/// In the order of the file; never empty.
using ConfigErrors = std::vector<ConfigError>;

/// "jobhost.yaml:7:14: queues[0].workers: …"
std::string to_string(const ConfigError& error);

/// One error a line, each line ended.
std::string to_string(const ConfigErrors& errors);

/// Answers an environment variable's value, nothing when it is not set.
using EnvironmentLookup = std::function<std::optional<std::string>(const std::string& name)>;

/// The environment of this process. Reads without a lock: not beside a setenv.
std::optional<std::string> process_environment(const std::string& name);

/// Reads a whole file and reports everything that is wrong with it, not only the first thing (a
/// file that is not YAML gets its first error alone). Relative paths in it are taken from its
/// folder, `${NAME}` from the environment of this process.
[[nodiscard]] tl::expected<Config, ConfigErrors> load_config(const std::filesystem::path& file);

/// As load_config, on text. `file_name` stands for the file in messages, `base_dir` (absolute) for
/// its folder.
[[nodiscard]] tl::expected<Config, ConfigErrors> parse_config(std::string_view text,
                                                              const std::string& file_name,
                                                              const std::filesystem::path& base_dir,
                                                              const EnvironmentLookup& environment);

/// Every key that the loader knows, sorted: "heartbeat.interval",
/// "queues[].retry.on.<error>.delay", "jobs.<type>.timeout". Keys that hold other keys are listed
/// too.
std::vector<std::string> known_keys();

}  // namespace jobhost::config
