#include "storage/sql/statement.h"

#include "storage/check.h"

namespace jobhost::sql {

Query::Query(Statement& statement) : statement_(statement) {
    JOBHOST_CHECK(!statement_.in_use_);
    statement_.in_use_ = true;
}

Query::~Query() {
    statement_.clear();
    statement_.in_use_ = false;
}

std::optional<std::int64_t> Query::optional_integer(int column) const {
    if (is_null(column)) return std::nullopt;
    return integer(column);
}

std::optional<std::string> Query::optional_text(int column) const {
    if (is_null(column)) return std::nullopt;
    return text(column);
}

std::optional<TimePoint> Query::optional_time(int column) const {
    if (is_null(column)) return std::nullopt;
    return time(column);
}

}  // namespace jobhost::sql
