#pragma once

#include <string>

#include "config/value_parsers.h"

namespace jobhost::config {

/// The content of a `*_file`, without the line breaks at its end; at most 64 KiB, not empty. Or
/// what is wrong as a sentence, which never holds the secret.
Parsed<std::string> read_secret(const std::string& file);

}  // namespace jobhost::config
