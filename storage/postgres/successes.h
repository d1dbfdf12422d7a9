#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "storage/postgres/session.h"
#include "storage/storage.h"

namespace jobhost::postgres {

/// Whether this is an outcome of the most frequent kind: a success with nothing else to store.
bool is_plain_success(const Write& write, NodeId node);

/// Ends runs of that kind, all in one statement. Answers `true` for each that was stored, in the
/// order of `indexes`; for another one the lease is gone, or it is a repeat.
std::vector<bool> store_successes(Session& session, NodeId node, std::span<const Write> writes,
                                  std::span<const std::size_t> indexes, TimePoint now);

}  // namespace jobhost::postgres
