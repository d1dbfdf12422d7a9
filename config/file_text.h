#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include <tl/expected.hpp>

namespace jobhost::config {

/// The content of a regular file of at most `most` bytes. The error follows the file's
/// name: "cannot be read: No such file or directory".
tl::expected<std::string, std::string> read_file(const std::filesystem::path& file,
                                                 std::size_t most);

}  // namespace jobhost::config
