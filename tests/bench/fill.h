#pragma once

#include "tests/bench/subject.h"

namespace jobhost::bench {

enum class RowsOf { kFinished, kWaiting };

/// Puts rows of so many jobs of kNoop into an empty store, as if they had been enqueued (and run)
/// before, but by SQL alone: ten million take a minute instead of several.
void fill(const StoreOptions& store, StoreHandle& handle, RowsOf what, std::int64_t count);

}  // namespace jobhost::bench
