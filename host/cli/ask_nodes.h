#pragma once

#include <string>
#include <vector>

#include "host/cli/store_access.h"

namespace jobhost::cli {

/// What a running node answered; its errors, or that it did not answer in time.
struct NodeAnswer {
    Node node = {};
    bool answered = false;
    std::string body = {};                 // a JSON object, when there are no errors
    std::vector<std::string> errors = {};  // sentences; not empty: it did not do what was asked
};

/// The live node with this id or, if just one has it, this name. Throws CommandError (not found).
Node find_live_node(StoreAccess& access, const std::string& id_or_name);

/// `node 3 (web-1)`
std::string node_title(const Node& node);

/// A duration as typed. Throws CommandError (usage) naming the flag.
Duration wait_time(const std::string& words);

/// Asks all of them through the store, and waits for their answers at most that long; shorter when
/// a node stops meanwhile. One answer for each, in order.
std::vector<NodeAnswer> ask_nodes(StoreAccess& access, const std::vector<Node>& nodes,
                                  NodeRequest::Kind kind, const std::string& argument,
                                  Duration at_most);

}  // namespace jobhost::cli
