#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "config/config_loader.h"
#include "config/yaml_tree.h"

namespace jobhost::config {

/// A value that is one text, with what strict parsers must know about it.
struct Scalar {
    std::string text = {};     ///< after expansion
    std::string written = {};  ///< as in the file: the form to show, since `text` may be a secret
    bool quoted = false;       ///< as written; a text from the environment counts as unquoted
    bool expanded = false;     ///< from the environment, at least in part
    bool is_null = false;      ///< `~`, `null` or nothing at all, without quotes
};

/// What all readers of one file share.
class ReadContext {
public:
    /// `base_dir` must be absolute.
    ReadContext(std::string file, std::filesystem::path base_dir, EnvironmentLookup environment)
        : file_(std::move(file)),
          base_dir_(std::move(base_dir)),
          environment_(std::move(environment)) {}

    [[nodiscard]] const std::filesystem::path& base_dir() const { return base_dir_; }

    /// "jobhost.yaml:12"
    [[nodiscard]] std::string where(Place place) const;

    /// `path` may be empty: the file as a whole.
    void error(Place place, const std::string& path, const std::string& sentence);

    /// Nothing, after an error, when `node` is not a scalar or cannot be expanded.
    [[nodiscard]] std::optional<Scalar> scalar(const YamlNode& node, const std::string& path);

    /// Sections that a file leaves out are read too, and every key that is asked for is noted.
    void record_keys_into(std::set<std::string>& keys) { keys_ = &keys; }
    [[nodiscard]] bool is_recording() const { return keys_ != nullptr; }
    void note_key(const std::string& pattern) {
        if (keys_ != nullptr) keys_->insert(pattern);
    }

    /// In the order of the file, each one once (an anchor's mistake is met again by its aliases).
    [[nodiscard]] ConfigErrors take_errors();

private:
    std::string file_;
    std::filesystem::path base_dir_;
    EnvironmentLookup environment_;
    ConfigErrors errors_ = {};
    std::set<std::string>* keys_ = nullptr;
};

}  // namespace jobhost::config
