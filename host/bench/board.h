#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace jobhost::bench {

/// Memory that a process that measures shares with the nodes that it started. Zero at first.
struct Board {
    static constexpr int kMostSamples = 100'000;

    std::atomic<bool> go = false;           // the nodes may begin to work
    std::atomic<int> working = 0;           // nodes that have
    std::atomic<std::int64_t> ended = 0;    // jobs whose end is stored
    std::atomic<std::int64_t> handled = 0;  // dead-letter handlers that were called
    std::atomic<std::int64_t> started_at[kMostSamples] = {};  // steady_now(); 0: not yet
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

/// Nanoseconds of the clock that all processes of the machine share.
inline std::int64_t steady_now() {
    return std::chrono::steady_clock::now().time_since_epoch().count();
}

/// The same memory for every process that has the file.
class SharedBoard {
public:
    SharedBoard();
    /// In a node: the file that it was started with.
    explicit SharedBoard(int file);
    ~SharedBoard();
    SharedBoard(const SharedBoard&) = delete;
    SharedBoard& operator=(const SharedBoard&) = delete;

    Board& operator*() const { return *board_; }
    Board* operator->() const { return board_; }
    int file() const { return file_; }

private:
    void map();

    int file_ = -1;
    Board* board_ = nullptr;
};

}  // namespace jobhost::bench
