#include "config/read_context.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "config/expand.h"

namespace jobhost::config {

std::string ReadContext::where(Place place) const {
    return file_ + ":" + std::to_string(place.line);
}

void ReadContext::error(Place place, const std::string& path, const std::string& sentence) {
    errors_.push_back({.file = file_,
                       .line = place.line,
                       .column = place.column,
                       .message = path.empty() ? sentence : path + ": " + sentence});
}

std::optional<Scalar> ReadContext::scalar(const YamlNode& node, const std::string& path) {
    if (node.kind == YamlNode::Kind::kNull) {
        return Scalar{.text = node.text, .written = node.text, .is_null = true};
    }
    if (node.kind != YamlNode::Kind::kScalar) {
        const bool is_map = node.kind == YamlNode::Kind::kMap;
        error(node.place, path,
              is_map ? "must be one value, not a mapping" : "must be one value, not a list");
        return std::nullopt;
    }
    auto expanded = expand(node.text, environment_);
    if (!expanded) {
        error(node.place, path, expanded.error());
        return std::nullopt;
    }
    return Scalar{.text = std::move(expanded->text),
                  .written = node.text,
                  .quoted = node.quoted && !expanded->from_environment,
                  .expanded = expanded->from_environment};
}

ConfigErrors ReadContext::take_errors() {
    const auto order = [](const ConfigError& error) {
        return std::tuple(error.line, error.column);
    };
    std::ranges::stable_sort(errors_, {}, order);
    const auto repeated = std::ranges::unique(errors_);
    errors_.erase(repeated.begin(), repeated.end());
    return std::exchange(errors_, {});
}

}  // namespace jobhost::config
