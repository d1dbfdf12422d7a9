#pragma once

#include <array>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "storage/postgres/array.h"
#include "storage/postgres/connection.h"
#include "storage/sql/statement.h"

namespace jobhost::postgres {

class Session;

/// A statement of one session: prepared on the server at its first use and after each reconnect,
/// unless the session is pooled. All its rows come at once.
class Statement final : public sql::Statement {
public:
    /// `sql`: with `?` or `?1` for parameters, as in all texts of ours.
    Statement(Session& session, std::string_view sql, std::string name);

    void bind_integer(int index, std::int64_t value) override;
    void bind_text(int index, std::string_view text) override;
    void bind_blob(int index, std::string_view bytes) override { bind_text(index, bytes); }
    void bind_null(int index) override;
    /// Not copied.
    void bind_array(int index, const Array& array);

    bool step() override;
    int run() override;
    void rewind() noexcept override;
    void clear() noexcept override;
    bool is_null(int column) const override;
    std::int64_t integer(int column) const override;
    std::string_view view(int column) const override;

private:
    Parameter& parameter(int index);
    void execute();

    Session& session_;
    const std::string name_;
    const std::string sql_;
    int prepared_in_ = 0;  // the session's connection by number; 0: none
    std::vector<Parameter> parameters_;
    std::deque<std::array<char, 8>> integers_;  // their bytes, by index
    Result result_;
    int row_ = -1;
};

/// A Query whose parameters may be arrays.
class BulkQuery : public sql::Query {
public:
    explicit BulkQuery(Statement& statement) : Query(statement), statement_(statement) {}

    using Query::bind;
    BulkQuery& bind(int index, const Array& array) {
        statement_.bind_array(index, array);
        return *this;
    }
    template <class... Values>
    BulkQuery& bind_all(const Values&... values) {
        int index = 0;
        (bind(++index, values), ...);
        return *this;
    }

private:
    Statement& statement_;
};

}  // namespace jobhost::postgres
