#pragma once

#include <memory>
#include <string>

namespace jobhost {

/// A throw-away PostgreSQL server with a pgbouncer before it; see postgres_cluster.sh.
class PostgresServer {
public:
    /// The one that all tests of a ctest run share, or, without ctest, one of this process.
    static const PostgresServer& shared();

    /// Starts one in this folder, reachable also at 127.0.0.1:`port` when it is not 0.
    explicit PostgresServer(std::string folder, int port = 0);
    ~PostgresServer();
    PostgresServer(const PostgresServer&) = delete;
    PostgresServer& operator=(const PostgresServer&) = delete;

    /// `mode`: fast, or immediate, which is a crash.
    void stop(const std::string& mode) const;
    void restart() const;
    void start_pooler() const;

    const std::string& folder() const { return folder_; }

    /// Of the database `jobs`, as its owner, who may do nothing else; `superuser`: as the server's.
    std::string url(bool superuser = false) const;
    std::string pooler_url() const;

private:
    struct Shared {};
    explicit PostgresServer(Shared);
    void run(const std::string& action, const std::string& more = "") const;

    std::string folder_;
    int port_ = 0;
    bool is_own_ = true;
};

/// A name for a schema that nobody else uses; with what is in it, it is removed at the end.
class FreshSchema {
public:
    explicit FreshSchema(const PostgresServer& server);
    ~FreshSchema();
    FreshSchema(const FreshSchema&) = delete;
    FreshSchema& operator=(const FreshSchema&) = delete;

    const std::string& name() const { return name_; }

private:
    const std::string url_;
    std::string name_;
};

}  // namespace jobhost
