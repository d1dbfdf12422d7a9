#include "storage/sqlite/futex.h"

#include <cerrno>
#include <ctime>
#include <unistd.h>

#include <linux/futex.h>
#include <sys/syscall.h>

namespace jobhost::sqlite {
namespace {

std::uint32_t* address_of(std::atomic<std::uint32_t>& word) {
    static_assert(sizeof word == sizeof(std::uint32_t));
    static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
    return reinterpret_cast<std::uint32_t*>(&word);
}

}  // namespace

bool futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, Duration at_most) {
    if (at_most.count() <= 0) return word.load() != expected;
    timespec limit{};
    limit.tv_sec = at_most.count() / 1'000'000;
    limit.tv_nsec = at_most.count() % 1'000'000 * 1000;
    // Relative waits use the monotonic clock.
    const long code =
        syscall(SYS_futex, address_of(word), FUTEX_WAIT, expected, &limit, nullptr, 0);
    return code == 0 || errno != ETIMEDOUT;
}

void futex_wake(std::atomic<std::uint32_t>& word, int how_many) {
    syscall(SYS_futex, address_of(word), FUTEX_WAKE, how_many, nullptr, nullptr, 0);
}

}  // namespace jobhost::sqlite
