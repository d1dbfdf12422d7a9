#include "storage/postgres/statement.h"

#include "storage/postgres/session.h"

namespace jobhost::postgres {
namespace {

/// `?` and `?7` as `$1` and `$7`, outside of quotes.
std::string with_dollars(std::string_view sql) {
    std::string out;
    int next = 0;
    bool quoted = false;
    for (std::size_t at = 0; at < sql.size(); ++at) {
        const char c = sql[at];
        if (c == '\'') quoted = !quoted;
        if (c != '?' || quoted) {
            out += c;
            continue;
        }
        out += '$';
        const bool numbered = at + 1 < sql.size() && sql[at + 1] >= '0' && sql[at + 1] <= '9';
        if (!numbered) out += std::to_string(++next);
    }
    return out;
}

}  // namespace

Statement::Statement(Session& session, std::string_view sql, std::string name)
    : session_(session), name_(std::move(name)), sql_(with_dollars(sql)) {}

Parameter& Statement::parameter(int index) {
    const auto at = static_cast<std::size_t>(index - 1);
    if (parameters_.size() <= at) parameters_.resize(at + 1);
    return parameters_[at];
}

void Statement::bind_integer(int index, std::int64_t value) {
    const auto at = static_cast<std::size_t>(index - 1);
    while (integers_.size() <= at) integers_.emplace_back();
    std::array<char, 8>& bytes = integers_[at];
    const auto bits = static_cast<std::uint64_t>(value);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<char>(bits >> (56U - 8U * i));
    }
    parameter(index) = {.type = kBigint, .data = bytes.data(), .bytes = bytes.size()};
}

void Statement::bind_text(int index, std::string_view text) {
    // A null pointer would be NULL.
    const char* bytes = text.data() != nullptr ? text.data() : "";
    parameter(index) = {.type = kText, .data = bytes, .bytes = text.size()};
}

void Statement::bind_null(int index) {
    parameter(index) = {};
}

void Statement::bind_array(int index, const Array& array) {
    const std::string_view bytes = array.bytes();
    parameter(index) = {.type = array.type(), .data = bytes.data(), .bytes = bytes.size()};
}

void Statement::execute() {
    result_ = Result();
    row_ = -1;
    result_ = session_.execute(name_, sql_, parameters_, prepared_in_);
}

bool Statement::step() {
    if (!result_) execute();
    return ++row_ < result_.rows();
}

int Statement::run() {
    execute();
    const int changed = result_.changed();
    rewind();
    return changed;
}

void Statement::rewind() noexcept {
    result_ = Result();
    row_ = -1;
}

void Statement::clear() noexcept {
    rewind();
    for (Parameter& one : parameters_) one = {};
}

bool Statement::is_null(int column) const {
    return result_.is_null(row_, column);
}

std::int64_t Statement::integer(int column) const {
    return result_.integer(row_, column);
}

std::string_view Statement::view(int column) const {
    return result_.view(row_, column);
}

}  // namespace jobhost::postgres
