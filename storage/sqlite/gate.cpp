#include "storage/sqlite/gate.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <new>
#include <optional>
#include <unistd.h>

#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "storage/sqlite/futex.h"
#include "storage/storage_error.h"

namespace jobhost::sqlite {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kPageBytes = 4096;
static_assert(sizeof(GatePage) <= kPageBytes);

/// Who waits looks again after this long even when nobody tells: the holder may have been killed.
constexpr Duration kLookAgain = milliseconds(10);

/// How long a holder that leaves lets others go first.
constexpr Duration kPoliteness = milliseconds(1);

unsigned permissions_of(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) return 0600;
    return status.st_mode & 0666;
}

[[noreturn]] void throw_errno(const std::string& path, const char* doing, int number) {
    auto kind = StorageError::Kind::kUnavailable;
    if (number == ENOSPC || number == EDQUOT) kind = StorageError::Kind::kFull;
    if (number == EROFS || number == EACCES || number == EPERM) {
        kind = StorageError::Kind::kReadOnly;
    }
    throw StorageError(kind, path + ": " + doing + ": " + std::strerror(number));
}

/// The state letter that the kernel shows for a process; nullopt when there is none.
std::optional<char> process_state(int pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    if (!std::getline(file, line)) return std::nullopt;
    // The program's name is in brackets and may itself contain brackets and blanks.
    const std::size_t bracket = line.rfind(')');
    if (bracket == std::string::npos || bracket + 2 >= line.size()) return std::nullopt;
    return line[bracket + 2];
}

}  // namespace

HintCount::~HintCount() {
    std::int32_t count = count_.load();
    while (count > 0 && !count_.compare_exchange_weak(count, count - 1)) {
    }
}

Gate::Gate(const std::string& database_path)
    : path_(database_path + "-gate"), mode_(permissions_of(database_path)) {
    open_file();
}

Gate::~Gate() {
    close_file();
}

void Gate::open_file() {
    descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, mode_);
    if (descriptor_ < 0) throw_errno(path_, "cannot be opened", errno);
    // Real blocks: a hole that cannot be filled on a full disk would be a SIGBUS later.
    const int code = posix_fallocate(descriptor_, 0, kPageBytes);
    if (code != 0) {
        close_file();
        throw_errno(path_, "has no room", code);
    }
    void* memory = mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (memory == MAP_FAILED) {
        const int number = errno;
        close_file();
        throw_errno(path_, "cannot be mapped", number);
    }
    page_ = static_cast<GatePage*>(memory);  // all zero is its first state
}

void Gate::close_file() {
    if (page_ != nullptr) munmap(page_, kPageBytes);
    if (descriptor_ >= 0) close(descriptor_);
    page_ = nullptr;
    descriptor_ = -1;
    locked_ = false;
}

bool Gate::try_lock() {
    int code = 0;
    do {
        code = flock(descriptor_, LOCK_EX | LOCK_NB);
    } while (code != 0 && errno == EINTR);
    if (code != 0 && errno != EWOULDBLOCK) throw_errno(path_, "cannot be locked", errno);
    return code == 0;
}

void Gate::lock(Duration at_most) {
    const auto give_up = steady_clock::now() + at_most;
    for (;;) {
        if (!try_lock()) {
            const auto left = give_up - steady_clock::now();
            wait_for_turn(std::chrono::duration_cast<Duration>(left));
        }
        struct stat status {};
        if (fstat(descriptor_, &status) == 0 && status.st_nlink > 0) break;
        // Somebody deleted the file: others may use a new one by now, and so must we.
        close_file();
        open_file();
    }
    locked_ = true;
    page_->holder.store(getpid());
    page_->turn.fetch_add(1);
    futex_wake(page_->turn, INT_MAX);
}

void Gate::wait_for_turn(Duration at_most) {
    const auto give_up = steady_clock::now() + at_most;
    const HintCount waiting(page_->waiters);
    for (;;) {
        const std::uint32_t seen = page_->released.load();
        if (try_lock()) return;
        const auto left = std::chrono::duration_cast<Duration>(give_up - steady_clock::now());
        if (left.count() <= 0) throw StorageError(StorageError::Kind::kBusy, holder_text());
        futex_wait(page_->released, seen, std::min(left, kLookAgain));
    }
}

std::string Gate::holder_text() const {
    const std::string file = path_.substr(0, path_.size() - std::strlen("-gate"));
    const int pid = page_->holder.load();
    if (pid == 0) return file + ": locked by another process";
    const std::optional<char> state = process_state(pid);
    const bool stopped = state == 'T' || state == 't';
    return file + ": locked by pid " + std::to_string(pid) + (stopped ? " (stopped)" : "");
}

void Gate::unlock() {
    locked_ = false;
    page_->holder.store(0);
    const std::uint32_t turn = page_->turn.load();
    flock(descriptor_, LOCK_UN);
    if (page_->waiters.load() <= 0) return;
    page_->released.fetch_add(1);
    futex_wake(page_->released, 1);
    // When nobody came, the count is a leftover of waiters that were killed.
    if (!futex_wait(page_->turn, turn, kPoliteness)) page_->waiters.store(0);
}

void Gate::announce() {
    page_->news.fetch_add(1);
    if (page_->sleepers.load() > 0) futex_wake(page_->news, INT_MAX);
}

}  // namespace jobhost::sqlite
