#include "config/expand.h"

#include <algorithm>
#include <optional>

#include "config/decimal.h"
#include "config/encoding.h"

namespace jobhost::config {
namespace {

bool is_variable_name(std::string_view name) {
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    return !name.empty() && !is_digit(name.front()) &&
           std::ranges::all_of(name, [&](char c) { return is_letter(c) || is_digit(c); });
}

/// The value of what stands between `${` and `}`.
tl::expected<std::string, std::string> value_of(std::string_view inner,
                                                const EnvironmentLookup& environment) {
    const std::size_t separator = inner.find(":-");
    const std::string_view name = inner.substr(0, separator);
    const bool has_default = separator != std::string_view::npos;
    if (!is_variable_name(name)) {
        return tl::unexpected(quote("${" + std::string(inner) + "}") +
                              " does not name an environment variable (write $${ for a literal "
                              "${)");
    }
    const std::string variable(name);
    std::optional<std::string> value = environment(variable);
    if (has_default && (!value || value->empty())) {
        const std::string_view fallback = inner.substr(separator + 2);
        if (fallback.find("${") != std::string_view::npos) {
            return tl::unexpected<std::string>("the default of ${" + variable +
                                               "} cannot itself hold a ${");
        }
        return std::string(fallback);
    }
    if (!value) {
        return tl::unexpected<std::string>("environment variable " + variable + " is not set (${" +
                                           variable + ":-default} would give it a default)");
    }
    if (!is_utf8(*value)) {
        return tl::unexpected<std::string>("environment variable " + variable + " is not UTF-8");
    }
    return *std::move(value);
}

}  // namespace

tl::expected<Expanded, std::string> expand(std::string_view text,
                                           const EnvironmentLookup& environment) {
    Expanded result;
    while (!text.empty()) {
        if (text.starts_with("$${")) {
            result.text += "${";
            text.remove_prefix(3);
        } else if (text.starts_with("${")) {
            const std::size_t end = text.find('}');
            if (end == std::string_view::npos) {
                return tl::unexpected(quote(text) + " has no closing }");
            }
            auto value = value_of(text.substr(2, end - 2), environment);
            if (!value) return tl::unexpected(std::move(value.error()));
            result.text += *value;
            result.from_environment = true;
            text.remove_prefix(end + 1);
        } else {
            const std::size_t next = std::min(text.find('$', 1), text.size());
            result.text += text.substr(0, next);
            text.remove_prefix(next);
        }
    }
    return result;
}

}  // namespace jobhost::config
