#pragma once

#include <string>

#include "config/read_context.h"
#include "config/yaml_tree.h"

namespace jobhost::config {

/// A subtree as JSON text without line breaks, keys in the order of the file. Plain `true`,
/// `false`, `null`, `~`, nothing, and numbers in JSON's own form keep their kind, numbers digit for
/// digit; every other scalar, quoted ones and those from the environment are strings. Errors (a
/// variable that is not set) go to `context` under `path`.
std::string yaml_to_json(const YamlNode& node, const std::string& path, ReadContext& context);

}  // namespace jobhost::config
