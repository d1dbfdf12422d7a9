#include "storage/node_file.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "storage/storage_error.h"

namespace jobhost {
namespace {

constexpr std::uint64_t kMagic = 0x314b43'4f4c484aULL;

struct Mark {
    std::atomic<std::int64_t> job;
    std::atomic<std::int64_t> fence;
};

[[noreturn]] void fail(const std::string& doing) {
    throw StorageError(StorageError::Kind::kUnavailable,
                       doing + ": " + std::generic_category().message(errno));
}

/// A descriptor for one look.
class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return fd_; }

private:
    int fd_;
};

bool has_inode(int fd, std::int64_t inode) {
    struct stat status {};
    return ::fstat(fd, &status) == 0 && static_cast<std::int64_t>(status.st_ino) == inode;
}

}  // namespace

struct NodeFile::Page {
    std::uint64_t magic;
    std::atomic<std::int64_t> beats;
    std::atomic<std::uint32_t> overflowed;  // more runs at a time than marks: they prove nothing
    std::uint32_t reserved;
    Mark marks[kMarks];
};

NodeFile::NodeFile(const std::filesystem::path& folder, const std::string& incarnation)
    : path_((folder / incarnation).string()) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    if (fd_ < 0) fail("creating the node's lock file " + path_);
    if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) fail("locking " + path_);
    // Written, not only sized: a hole would need disk space at a beat, and a full disk is SIGBUS.
    if (const int code = ::posix_fallocate(fd_, 0, sizeof(Page)); code != 0) {
        errno = code;
        fail("making room for " + path_);
    }
    struct stat status {};
    if (::fstat(fd_, &status) != 0) fail("reading " + path_);
    inode_ = static_cast<std::int64_t>(status.st_ino);
    void* memory = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
    if (memory == MAP_FAILED) fail("mapping " + path_);
    page_ = static_cast<Page*>(memory);
    page_->magic = kMagic;
    free_.reserve(kMarks);
    for (std::uint32_t mark = kMarks; mark > 0; --mark) free_.push_back(mark - 1);
}

NodeFile::~NodeFile() {
    ::unlink(path_.c_str());
    ::munmap(page_, sizeof(Page));
    ::close(fd_);
}

void NodeFile::beat() {
    page_->beats.fetch_add(1, std::memory_order_relaxed);
}

std::optional<std::uint32_t> NodeFile::mark(JobId job, std::int64_t fence) {
    std::uint32_t free = 0;
    {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) {
            page_->overflowed.store(1, std::memory_order_relaxed);
            return std::nullopt;
        }
        free = free_.back();
        free_.pop_back();
    }
    page_->marks[free].fence.store(fence, std::memory_order_relaxed);
    page_->marks[free].job.store(job, std::memory_order_release);
    return free;
}

void NodeFile::unmark(std::optional<std::uint32_t> mark) {
    if (!mark) return;
    page_->marks[*mark].job.store(0, std::memory_order_release);
    const std::lock_guard lock(mutex_);
    free_.push_back(*mark);
}

bool NodeFile::still_locked() const {
    const NodeFileLook look = look_at_node_file(path_, inode_);
    return look.exists && look.locked;
}

NodeFileLook look_at_node_file(const std::string& path, std::int64_t inode) {
    NodeFileLook look;
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0 || !has_inode(file.get(), inode)) return look;
    look.exists = true;
    // A shared lock is enough to know, and two watchers that look at once do not see each other.
    look.locked = ::flock(file.get(), LOCK_SH | LOCK_NB) != 0;
    std::int64_t beats = 0;
    if (::pread(file.get(), &beats, sizeof beats, sizeof(std::uint64_t)) == sizeof beats) {
        look.beats = beats;
    }
    return look;
}

std::optional<std::set<std::pair<JobId, std::int64_t>>> read_start_marks(const std::string& path,
                                                                         std::int64_t inode) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0 || !has_inode(file.get(), inode)) return std::nullopt;
    constexpr std::size_t kHead = 3 * sizeof(std::uint64_t);
    constexpr std::size_t kSize = kHead + NodeFile::kMarks * sizeof(Mark);
    std::vector<unsigned char> bytes(kSize);
    if (::pread(file.get(), bytes.data(), kSize, 0) != static_cast<ssize_t>(kSize)) {
        return std::nullopt;
    }
    std::uint64_t magic = 0;
    std::uint32_t overflowed = 0;
    std::memcpy(&magic, bytes.data(), sizeof magic);
    std::memcpy(&overflowed, bytes.data() + 2 * sizeof(std::uint64_t), sizeof overflowed);
    if (magic != kMagic || overflowed != 0) return std::nullopt;
    std::set<std::pair<JobId, std::int64_t>> started;
    for (std::size_t mark = 0; mark < NodeFile::kMarks; ++mark) {
        std::int64_t pair[2];
        std::memcpy(pair, bytes.data() + kHead + mark * sizeof(Mark), sizeof pair);
        if (pair[0] != 0) started.emplace(pair[0], pair[1]);
    }
    return started;
}

}  // namespace jobhost
