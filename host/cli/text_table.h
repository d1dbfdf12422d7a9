#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/cli/output.h"

namespace jobhost::cli {

/// A table for people: a line of headings, columns aligned, two spaces between them. Control
/// characters in cells are escaped; an empty cell shows as `-`.
class TextTable {
public:
    enum class Align { kLeft, kRight };
    struct Column {
        std::string heading = {};
        Align align = Align::kLeft;
    };

    explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

    /// As many cells as there are columns.
    void add(std::vector<std::string> cells);

    bool empty() const { return rows_.empty(); }

    /// With `colours`, headings are bold and words for states have their colour.
    std::string text(bool colours) const;

private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

/// To standard output; a table without rows is one sentence on standard error instead.
void print_table(const TextTable& table, std::string_view nothing, Output& out);

}  // namespace jobhost::cli
