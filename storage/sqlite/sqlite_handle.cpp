#include "storage/sqlite/sqlite_handle.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include <sys/stat.h>

#include "storage/sqlite/listener.h"
#include "storage/sqlite/schema.h"
#include "storage/sqlite/sqlite_store.h"

namespace jobhost::sqlite {
namespace {

[[noreturn]] void throw_unavailable(const std::string& path, const char* doing, int number) {
    throw StorageError(StorageError::Kind::kUnavailable,
                       path + ": " + doing + ": " + std::strerror(number));
}

/// Inputs are other people's data: a new file is its owner's only, whatever the umask says. Only
/// before SQLite opens the file: closing any descriptor of it later would drop SQLite's locks.
void make_file(const std::string& path, bool create) {
    struct stat status {};
    if (stat(path.c_str(), &status) == 0) {
        if (S_ISREG(status.st_mode)) return;
        throw StorageError(StorageError::Kind::kUnavailable, path + ": this is not a file");
    }
    if (errno != ENOENT || !create) throw_unavailable(path, "cannot be opened", errno);
    const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor >= 0) {
        close(descriptor);
    } else if (errno != EEXIST) {
        throw_unavailable(path, "cannot be made", errno);
    }
}

SessionOptions session_options(const std::string& path, const StoreOptions& options) {
    return {.path = path,
            .synchronous_full = options.synchronous_full,
            .lock_timeout = options.lock_timeout};
}

}  // namespace

SqliteHandle::SqliteHandle(const std::string& path, const StoreOptions& options, const Clock& clock,
                           bool create)
    : options_(session_options(path, options)),
      max_input_bytes_(options.max_input_bytes),
      clock_(clock) {
    make_file(path, create);
    Session session(options_, clock_);
    version_ = migrate(session);
}

std::unique_ptr<Store> SqliteHandle::open_session() {
    return std::make_unique<SqliteStore>(options_, max_input_bytes_, clock_);
}

std::unique_ptr<ChangeListener> SqliteHandle::open_listener() {
    return std::make_unique<Listener>(options_, clock_);
}

std::string SqliteHandle::node_folder() const {
    const std::string folder = options_.path + "-nodes";
    if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
        throw_unavailable(folder, "cannot be made", errno);
    }
    return folder;
}

std::string SqliteHandle::description() const {
    const char* rule = checkpoints_are_safe()
                           ? "checkpoints may run beside writers"
                           : "checkpoints run only inside the write gate, so no other program may "
                             "checkpoint this file";
    return "SQLite " + library_version() + ", " + options_.path + ", schema " +
           to_string(version_) + ", synchronous " +
           (options_.synchronous_full ? "full" : "normal") + "; " + rule;
}

}  // namespace jobhost::sqlite
