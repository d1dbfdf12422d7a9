#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "storage/clock.h"

namespace jobhost::sqlite {

/// One page that all processes of one database share.
struct GatePage {
    std::atomic<std::int32_t> waiters;    // about how many wait for the gate; a hint
    std::atomic<std::uint32_t> turn;      // moves when somebody gets in
    std::atomic<std::uint32_t> released;  // moves when somebody gets out
    std::atomic<std::int32_t> holder;     // pid of who is inside, for people; 0 = nobody
    std::atomic<std::uint32_t> news;      // moves when there is something new in the store
    std::atomic<std::int32_t> sleepers;   // about how many wait for news; a hint
};

/// All writers of one database file, of all processes, take turns through this lock. That makes
/// them fair, and keeps checkpoints apart from writes, which SQLite before 3.51.3 needs (its
/// WAL-reset bug corrupts the file otherwise). The lock is a flock on `<database>-gate`: the kernel
/// releases it with the death of its holder. Each Gate has a descriptor of its own, so Gates of one
/// process exclude each other too. Used by one thread at a time, except announce().
class Gate {
public:
    /// Makes the file, with the permissions of the database, when it is not there.
    explicit Gate(const std::string& database_path);
    ~Gate();
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;

    /// Throws StorageError kBusy, naming the holder, when the time is up.
    void lock(Duration at_most);

    /// Lets somebody who waits go first: returns when another one got in, after 1 ms at the latest.
    void unlock();

    bool is_locked() const { return locked_; }

    /// Tells the listeners of all processes that there is something new.
    void announce();

    GatePage& page() { return *page_; }

private:
    void open_file();
    void close_file();
    bool try_lock();
    void wait_for_turn(Duration at_most);
    std::string holder_text() const;

    const std::string path_;
    const unsigned mode_;
    int descriptor_ = -1;
    GatePage* page_ = nullptr;
    bool locked_ = false;
};

/// Counts one waiter or sleeper while in scope. A process that is killed leaves its count behind:
/// the counts are hints, and heal.
class HintCount {
public:
    explicit HintCount(std::atomic<std::int32_t>& count) : count_(count) { count_.fetch_add(1); }
    ~HintCount();
    HintCount(const HintCount&) = delete;
    HintCount& operator=(const HintCount&) = delete;

private:
    std::atomic<std::int32_t>& count_;
};

}  // namespace jobhost::sqlite
