#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "storage/job.h"

namespace jobhost {

/// A node's lock file, on the machine that it runs on: locked while the process lives (the kernel
/// drops the lock with it), with a counter that beats in mapped memory even when the store is
/// locked or the disk is full, and with the start marks: which claimed jobs have begun. A watcher
/// on the same machine reads them after a death, and gives back what never began.
///
/// `beat`, `mark` and `unmark` are thread-safe and do no system call.
class NodeFile {
public:
    /// Jobs that can be marked at a time. More than that: the marks stop proving anything.
    static constexpr std::uint32_t kMarks = 8192;

    /// Creates and locks `<folder>/<incarnation>`, folder included. Throws StorageError.
    NodeFile(const std::filesystem::path& folder, const std::string& incarnation);
    ~NodeFile();  // unlinks the file: an orderly end
    NodeFile(const NodeFile&) = delete;
    NodeFile& operator=(const NodeFile&) = delete;

    const std::string& path() const { return path_; }
    std::int64_t inode() const { return inode_; }

    void beat();

    /// The run begins. The mark stays until its outcome is stored.
    std::optional<std::uint32_t> mark(JobId job, std::int64_t fence);
    void unmark(std::optional<std::uint32_t> mark);

    /// False when somebody could take the lock, or the file is gone: a plugin closed our
    /// descriptor, or somebody deleted the file. Asks the kernel; cheap, but not for the hot path.
    bool still_locked() const;

private:
    struct Page;
    std::string path_;
    std::int64_t inode_ = 0;
    int fd_ = -1;
    Page* page_ = nullptr;
    std::mutex mutex_;
    std::vector<std::uint32_t> free_;  // guarded by mutex_
};

/// What a watcher on the same machine can tell from another node's lock file.
struct NodeFileLook {
    bool exists = false;  // the file is there, with the recorded inode
    bool locked = true;   // somebody holds its lock
    std::int64_t beats = 0;
};

/// How long the counter must stand still once the lock is free, to prove a death: several beats of
/// a node that is alive but had its lock taken away.
inline constexpr Duration kNodeFileSilence = std::chrono::milliseconds(500);

/// How a node whose death its file proves is said to have died.
inline constexpr const char* kEndedWithoutGoodbye = "its process ended without a goodbye";

NodeFileLook look_at_node_file(const std::string& path, std::int64_t inode);

/// The (job, fence) pairs that a dead node had begun; nullopt when the file cannot prove it.
std::optional<std::set<std::pair<JobId, std::int64_t>>> read_start_marks(const std::string& path,
                                                                         std::int64_t inode);

}  // namespace jobhost
