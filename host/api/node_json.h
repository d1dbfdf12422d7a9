#pragma once

#include <string_view>
#include <vector>

#include "host/text/json_writer.h"
#include "storage/storage.h"

namespace jobhost::api {

/// `live`, `dead` or `stopped`.
std::string_view state_text(NodeState state);

/// The list of nodes, as one document.
std::string nodes_json(const std::vector<Node>& nodes);

}  // namespace jobhost::api
