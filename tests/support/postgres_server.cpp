#include "tests/support/postgres_server.h"

#include <cstdlib>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <unistd.h>

#include "storage/postgres/connection.h"
#include "storage/storage_error.h"

namespace jobhost {
namespace {

std::string random_name(const std::string& before) {
    std::random_device random;
    return before + std::to_string(random()) + std::to_string(random());
}

}  // namespace

const PostgresServer& PostgresServer::shared() {
    static const PostgresServer server{Shared{}};
    return server;
}

PostgresServer::PostgresServer(Shared) {
    if (const char* folder = std::getenv("JOBHOST_TEST_POSTGRES"); folder != nullptr) {
        folder_ = folder;
        is_own_ = false;
        return;
    }
    folder_ = random_name((std::filesystem::temp_directory_path() / "jobhost-pg-").string());
    run("start");
    run("watch", std::to_string(getpid()));
    run("pooler");
}

PostgresServer::PostgresServer(std::string folder, int port)
    : folder_(std::move(folder)), port_(port) {
    run("start", port == 0 ? "" : std::to_string(port));
    run("watch", std::to_string(getpid()));
}

PostgresServer::~PostgresServer() {
    if (is_own_)
        std::system((std::string(JOBHOST_POSTGRES_CLUSTER) + " remove " + folder_).c_str());
}

void PostgresServer::run(const std::string& action, const std::string& more) const {
    const std::string command =
        std::string(JOBHOST_POSTGRES_CLUSTER) + " " + action + " " + folder_ + " " + more;
    if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
}

void PostgresServer::stop(const std::string& mode) const {
    run("stop", mode);
}

void PostgresServer::restart() const {
    run("restart");
}

void PostgresServer::start_pooler() const {
    run("pooler");
}

std::string PostgresServer::url(bool superuser) const {
    const std::string port = port_ == 0 ? "" : "&port=" + std::to_string(port_);
    return superuser ? "postgresql://postgres@/jobs?host=" + folder_ + port
                     : "postgresql://jobs@/jobs?host=" + folder_ + port;
}

std::string PostgresServer::pooler_url() const {
    return "postgresql://jobs@/jobs?port=6432&host=" + folder_ + "/pool";
}

FreshSchema::FreshSchema(const PostgresServer& server)
    : url_(server.url()), name_(random_name("test_")) {}

FreshSchema::~FreshSchema() {
    try {
        postgres::Connection connection({.url = url_});
        connection.exec("SET client_min_messages = error");
        connection.exec("DROP SCHEMA IF EXISTS " + postgres::quoted_name(name_) + " CASCADE");
    } catch (const StorageError&) {  // the server may be gone with the test
    }
}

}  // namespace jobhost
