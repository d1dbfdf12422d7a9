#include "storage/sql/dialect.h"

#include "storage/check.h"

namespace jobhost::sql {
namespace {

void append_mark(std::string& out, std::string_view mark, const Dialect& dialect) {
    const std::size_t space = mark.find(' ');
    const std::string_view word = mark.substr(0, space);
    const std::string_view of =
        space == std::string_view::npos ? std::string_view() : mark.substr(space + 1);
    const auto around = [&](std::string_view begin, std::string_view end) {
        out.append(begin).append(of).append(end);
    };
    if (word == "list") return around(dialect.list_begin, dialect.list_end);
    if (word == "bytes") return around(dialect.bytes_begin, dialect.bytes_end);
    if (word == "size") return around(dialect.size_begin, dialect.size_end);
    if (word == "lock") return around(dialect.lock, "");
    JOBHOST_CHECK(word == "by");
    if (!dialect.by.empty()) around(dialect.by, "");
}

}  // namespace

std::string in_dialect(std::string_view sql, const Dialect& dialect) {
    std::string out;
    for (;;) {
        const std::size_t begin = sql.find('{');
        out += sql.substr(0, begin);
        if (begin == std::string_view::npos) return out;
        const std::size_t end = sql.find('}', begin);
        JOBHOST_CHECK(end != std::string_view::npos);
        append_mark(out, sql.substr(begin + 1, end - begin - 1), dialect);
        sql.remove_prefix(end + 1);
    }
}

}  // namespace jobhost::sql
