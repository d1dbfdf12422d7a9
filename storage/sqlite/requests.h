#pragma once

#include <vector>

#include "storage/sqlite/session.h"
#include "storage/storage.h"

namespace jobhost::sqlite {

/// What operators asked of this node since it looked last. Inside its write transaction: each is
/// given out once.
std::vector<NodeRequest> take_requests(Session& session, NodeId node);

}  // namespace jobhost::sqlite
