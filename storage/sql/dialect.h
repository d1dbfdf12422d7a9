#pragma once

#include <string>
#include <string_view>

namespace jobhost::sql {

/// How an engine writes what the engines do not write alike. The texts of this folder say it with
/// marks:
///   `{list ?1}`       the integers of a JSON array in a parameter, behind IN
///   `{bytes column}`  the size of a text in bytes
///   `{size column}`   the size of an input in bytes, without reading it
///   `{by index}`      a hint that this index must be used
///   `{lock}`          at the end of a SELECT: its rows are about to be removed
struct Dialect {
    std::string_view list_begin = {};
    std::string_view list_end = {};
    std::string_view bytes_begin = {};
    std::string_view bytes_end = {};
    std::string_view size_begin = {};
    std::string_view size_end = {};
    std::string_view by = {};    // empty: there are no such hints
    std::string_view lock = {};  // empty: one writer at a time, nothing to lock
};

/// The text with its marks written out.
std::string in_dialect(std::string_view sql, const Dialect& dialect);

}  // namespace jobhost::sql
