#pragma once

#include <atomic>
#include <cstdint>

#include "storage/clock.h"

namespace jobhost::sqlite {

/// Sleeps while the word is `expected`, at most so long. The word may be shared between processes.
/// False when the time is up.
bool futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, Duration at_most);

void futex_wake(std::atomic<std::uint32_t>& word, int how_many);

}  // namespace jobhost::sqlite
