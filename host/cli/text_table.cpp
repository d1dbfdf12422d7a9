#include "host/cli/text_table.h"

#include <algorithm>
#include <array>
#include <utility>

#include "host/observe/printable.h"
#include "storage/check.h"

namespace jobhost::cli {
namespace {

constexpr std::size_t kMaxCellBytes = 256;
constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kPlain = "\x1b[0m";

/// Characters, not bytes: those of UTF-8 that do not go on with another one.
std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }));
}

std::string_view colour_of(std::string_view word) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kColours{{
        {"succeeded", "\x1b[32m"},
        {"live", "\x1b[32m"},
        {"processing", "\x1b[36m"},
        {"started", "\x1b[36m"},
        {"failed", "\x1b[31m"},
        {"dead", "\x1b[31m"},
        {"expired", "\x1b[33m"},
        {"cancelled", "\x1b[33m"},
        {"timed_out", "\x1b[31m"},
    }};
    for (const auto& [known, colour] : kColours) {
        if (known == word) return colour;
    }
    return {};
}

void append_cell(std::string& out, std::string_view cell, std::size_t pad, bool right,
                 std::string_view colour) {
    if (right) out.append(pad, ' ');
    out += colour;
    out += cell;
    if (!colour.empty()) out += kPlain;
    if (!right) out.append(pad, ' ');
}

}  // namespace

void TextTable::add(std::vector<std::string> cells) {
    JOBHOST_CHECK(cells.size() == columns_.size());
    for (std::string& cell : cells) {
        cell = cell.empty() ? "-" : printable(cell, kMaxCellBytes);
    }
    rows_.push_back(std::move(cells));
}

std::string TextTable::text(bool colours) const {
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        widths.push_back(width(columns_[i].heading));
        for (const auto& row : rows_) widths[i] = std::max(widths[i], width(row[i]));
    }

    std::string out;
    const auto append_row = [&](auto cell_of, auto colour) {
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const std::string& cell = cell_of(i);
            const bool right = columns_[i].align == Align::kRight;
            const bool last = i + 1 == columns_.size();
            // No blanks at the end of a line.
            const std::size_t pad = last && !right ? 0 : widths[i] - width(cell);
            append_cell(out, cell, pad, right, colours ? colour(cell) : std::string_view());
            if (!last) out += "  ";
        }
        out += '\n';
    };
    append_row([&](std::size_t i) -> const std::string& { return columns_[i].heading; },
               [](std::string_view) { return kBold; });
    for (const auto& row : rows_) {
        append_row([&](std::size_t i) -> const std::string& { return row[i]; }, colour_of);
    }
    return out;
}

void print_table(const TextTable& table, std::string_view nothing, Output& out) {
    if (table.empty()) return complain(nothing);
    out.write(table.text(out.colours()));
}

}  // namespace jobhost::cli
