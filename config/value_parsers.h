#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "config/config.h"
#include "config/read_context.h"

namespace jobhost::config {

/// A value, or what is wrong as a sentence that follows the key ("must be …").
template <typename T>
using Parsed = tl::expected<T, std::string>;

/// What MapReader::read takes. The makers below answer parsers for one key.
template <typename T>
using ValueParser = std::function<Parsed<T>(const Scalar&)>;

/// ", not `5.0`": what stands in the file, never what came from the environment.
std::string shown_as(const Scalar& scalar);

/// A decimal number without quotes, `least` to `most`.
ValueParser<int> whole_number(int least, int most);

/// `true` or `false`, without quotes.
ValueParser<bool> boolean();

/// A finite decimal number without quotes, at least `least`.
ValueParser<double> factor(double least);

/// At least `least`; a bare 0 is understood where `least` is zero.
ValueParser<Duration> duration(Duration least);

ValueParser<std::int64_t> size(std::int64_t least, std::int64_t most);

/// By the rule of names.h, as written: `no`, `1.0` and `null` are names.
ValueParser<std::string> name();
ValueParser<std::string> error_name();

/// Any text that is not empty and holds no NUL.
ValueParser<std::string> text();

/// Answers an absolute, normal path; a relative one starts at `base_dir`. A trailing slash is
/// dropped from the path of a folder and refused for a file.
enum class PathKind { kFile, kFolder };
ValueParser<std::string> path(PathKind kind, const std::filesystem::path& base_dir);

/// One of a few words.
template <typename T>
ValueParser<T> choice(std::vector<std::pair<std::string_view, T>> words) {
    return [words = std::move(words)](const Scalar& scalar) -> Parsed<T> {
        std::string list;
        for (const auto& [word, value] : words) {
            if (scalar.text == word && !scalar.is_null) return value;
            list += (list.empty() ? "" : ", ") + std::string(word);
        }
        return tl::unexpected("must be one of " + list + shown_as(scalar));
    };
}

}  // namespace jobhost::config
