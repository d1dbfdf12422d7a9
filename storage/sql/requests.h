#pragma once

#include <vector>

#include "storage/sql/session.h"
#include "storage/storage.h"

namespace jobhost::sql {

/// What operators asked of this node since it looked last. Inside its write transaction: each is
/// given out once.
std::vector<NodeRequest> take_requests(Session& session, NodeId node);

}  // namespace jobhost::sql
