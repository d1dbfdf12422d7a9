#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "config/config_loader.h"

namespace jobhost::config {

using Environment = std::map<std::string, std::string>;

inline tl::expected<Config, ConfigErrors> parse(const std::string& yaml,
                                                const Environment& environment = {}) {
    return parse_config(yaml, "j.yaml", "/etc/jobhost",
                        [&](const std::string& name) -> std::optional<std::string> {
                            const auto found = environment.find(name);
                            if (found == environment.end()) return std::nullopt;
                            return found->second;
                        });
}

inline constexpr const char* kStorage = "storage: { url: \"sqlite:jobs.db\" }\n";

/// `yaml` without mistakes, after a first line that names the store.
inline Config accepted(const std::string& yaml, const Environment& environment = {}) {
    auto config = parse(kStorage + yaml, environment);
    if (config) return *std::move(config);
    ADD_FAILURE() << to_string(config.error());
    return {};
}

/// All errors of `yaml`, after a first line that names the store: so its own lines begin with 2.
inline std::string errors_of(const std::string& yaml, const Environment& environment = {}) {
    const auto config = parse(kStorage + yaml, environment);
    return config ? "no error\n" : to_string(config.error());
}

}  // namespace jobhost::config
