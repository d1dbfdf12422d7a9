#include "config/yaml_to_json.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "config/decimal.h"

namespace jobhost::config {
namespace {

std::string_view take_digits(std::string_view& text) {
    const auto* end = std::ranges::find_if_not(text, is_digit);
    const std::string_view digits(text.begin(), end);
    text.remove_prefix(digits.size());
    return digits;
}

/// The number grammar of RFC 8259.
bool is_json_number(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    const std::string_view whole = take_digits(text);
    if (whole.empty() || (whole.size() > 1 && whole.front() == '0')) return false;
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        if (take_digits(text).empty()) return false;
    }
    if (text.starts_with('e') || text.starts_with('E')) {
        text.remove_prefix(1);
        if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
        if (take_digits(text).empty()) return false;
    }
    return text.empty();
}

std::string json_string(std::string_view text) {
    std::string json = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            json += '\\';
            json += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            std::array<char, 8> escape{};
            std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
            json += escape.data();
        } else {
            json += c;
        }
    }
    return json + '"';
}

std::string json_scalar(const YamlNode& node, const std::string& path, ReadContext& context) {
    const auto scalar = context.scalar(node, path);
    if (!scalar) return "null";
    const bool keeps_kind = !scalar->quoted && !scalar->expanded;
    const std::string& text = scalar->text;
    if (scalar->is_null && (text.empty() || text == "~" || text == "null")) return "null";
    if (keeps_kind && (text == "true" || text == "false" || is_json_number(text))) return text;
    return json_string(text);
}

}  // namespace

std::string yaml_to_json(const YamlNode& node, const std::string& path, ReadContext& context) {
    std::string json;
    if (node.kind == YamlNode::Kind::kMap) {
        for (const YamlEntry& entry : node.entries) {
            json += (json.empty() ? "" : ",") + json_string(entry.key) + ":" +
                    yaml_to_json(*entry.value, path + "." + entry.key, context);
        }
        return "{" + json + "}";
    }
    if (node.kind == YamlNode::Kind::kSequence) {
        for (std::size_t i = 0; i < node.items.size(); ++i) {
            json += (i == 0 ? "" : ",") +
                    yaml_to_json(*node.items[i], path + "[" + std::to_string(i) + "]", context);
        }
        return "[" + json + "]";
    }
    return json_scalar(node, path, context);
}

}  // namespace jobhost::config
