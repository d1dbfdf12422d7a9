#pragma once

#include <string>
#include <vector>

#include "storage/store.h"

namespace jobhost::api {

/// What a running node answered; its errors, or that it did not answer in time.
struct NodeAnswer {
    Node node = {};
    bool answered = false;
    std::string body = {};                 // a JSON object, when there are no errors
    std::vector<std::string> errors = {};  // sentences; not empty: it did not do what was asked
};

/// The live node with this id or, if just one has it, this name. Throws RequestError.
Node find_live_node(Store& store, const std::string& id_or_name);

/// The live nodes of a service. Throws RequestError (not found) when there is none.
std::vector<Node> live_nodes_of(Store& store, const std::string& service);

/// `node 3 (web-1)`
std::string node_title(const Node& node);

/// How long to wait for answers, as typed. Throws RequestError (bad).
Duration wait_time(const std::string& words);

/// What is asked of nodes, and who asks.
struct Question {
    NodeRequest::Kind kind = NodeRequest::Kind::kReload;
    std::string argument = {};
    std::string by = {};
};

/// Asks all of them through the store, and waits for their answers at most that long; shorter when
/// a node stops meanwhile. One answer for each, in order.
std::vector<NodeAnswer> ask_nodes(StoreHandle& handle, Store& store, const std::vector<Node>& nodes,
                                  const Question& question, Duration at_most);

/// A list with each node's answer to a reload: each member of the answer as it is, and in any case
/// all of its errors.
std::string reload_json(const std::vector<NodeAnswer>& answers);

}  // namespace jobhost::api
