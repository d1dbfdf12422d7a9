#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <jobhost/client.hpp>

namespace jobhost::postgres {
class Connection;
}

namespace jobhost::torture {

/// Enqueues from SQL, as an application does inside its own transaction. PostgreSQL.
class SqlWay {
public:
    SqlWay(std::string url, std::string schema);
    ~SqlWay();
    SqlWay(const SqlWay&) = delete;
    SqlWay& operator=(const SqlWay&) = delete;

    /// nullopt: refused, or the server did not answer.
    std::optional<client::Enqueued> enqueue(const client::NewJob& job);

    /// Enqueues and rolls back. Answers the id of a job that must never exist.
    std::optional<std::int64_t> enqueue_in_vain(const client::NewJob& job);

private:
    client::Enqueued call(const client::NewJob& job);

    const std::string url_;
    const std::string schema_;
    std::unique_ptr<postgres::Connection> connection_;
};

}  // namespace jobhost::torture
