#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "config/config.h"
#include "config/map_reader.h"

namespace jobhost::config {

/// The absolute path in "sqlite:///abs/file", "sqlite:/abs/file", "sqlite:rel/file" or
/// "sqlite://rel/file"; relative ones start at `base_dir`. The path is taken literally: no `%20`,
/// no `?options`. The error is a sentence that never shows the URL, which may hold a password.
tl::expected<std::string, std::string> sqlite_path(std::string_view url,
                                                   const std::filesystem::path& base_dir);

/// The url for people: without a password and without what stands behind `?`.
std::string shown_url(const StorageConfig& storage);

/// Reads `storage`, and the file that `url_file` names.
void read_storage(MapReader& map, StorageConfig& into);

}  // namespace jobhost::config
