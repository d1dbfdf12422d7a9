#include "storage/postgres/postgres_handle.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include <sys/stat.h>

#include "storage/postgres/listener.h"
#include "storage/postgres/postgres_store.h"
#include "storage/postgres/schema.h"

namespace jobhost::postgres {
namespace {

ConnectionOptions connection_options(const StoreOptions& options) {
    return {.url = options.url,
            .schema = options.schema,
            .pooled = !options.listen,
            .lock_timeout = options.lock_timeout};
}

std::string server_version(int number) {
    return std::to_string(number / 10000) + "." + std::to_string(number % 10000);
}

/// Lock files there prove deaths, so nobody else may write into it.
bool is_own_folder(const std::string& path) {
    struct stat status {};
    if (lstat(path.c_str(), &status) != 0) return false;
    return S_ISDIR(status.st_mode) && status.st_uid == geteuid() && (status.st_mode & 022) == 0;
}

}  // namespace

PostgresHandle::PostgresHandle(const StoreOptions& options, const Clock& clock, bool create)
    : max_input_bytes_(options.max_input_bytes),
      shared_{.connection = connection_options(options),
              .synchronous = options.synchronous_full,
              .clock = &clock,
              .clock_is_time = options.clock_is_time},
      announcer_(shared_.connection) {
    shared_.announcer = &announcer_;
    version_ = migrate(shared_.connection, create);
    const Connection server(shared_.connection);
    description_ = "PostgreSQL " + server_version(server.server_version()) + ", " + server.place() +
                   ", schema " + options.schema + " " + to_string(version_) +
                   ", synchronous_commit " + (shared_.synchronous ? "on" : "off") +
                   (shared_.connection.pooled ? "; behind a pooler: looks for news twice a second"
                                              : "; woken by NOTIFY");
}

std::unique_ptr<Store> PostgresHandle::open_session() {
    return std::make_unique<PostgresStore>(shared_, max_input_bytes_);
}

std::unique_ptr<ChangeListener> PostgresHandle::open_listener() {
    if (shared_.connection.pooled) return std::make_unique<Poller>(shared_);
    return std::make_unique<Listener>(shared_);
}

std::string PostgresHandle::node_folder() const {
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    const std::string user = std::to_string(geteuid());
    const std::string folder = runtime != nullptr && is_own_folder(runtime)
                                   ? std::string(runtime) + "/jobhost-nodes"
                                   : "/tmp/jobhost-nodes-" + user;
    const bool made = mkdir(folder.c_str(), 0700) == 0;
    if (!made && errno != EEXIST) {
        throw StorageError(StorageError::Kind::kUnavailable,
                           folder + ": cannot be made: " + std::strerror(errno));
    }
    if (!is_own_folder(folder)) {
        throw StorageError(StorageError::Kind::kUnavailable,
                           folder +
                               ": belongs to somebody else, or others may write into it; "
                               "remove it, or set XDG_RUNTIME_DIR");
    }
    return folder;
}

}  // namespace jobhost::postgres
