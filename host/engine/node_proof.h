#pragma once

#include <optional>
#include <set>
#include <utility>

#include "storage/node_file.h"
#include "storage/storage.h"

namespace jobhost {

/// What the operating system can prove about another node, from its lock file. An interface, so
/// that tests stage deaths without processes.
class NodeProof {
public:
    virtual ~NodeProof() = default;
    virtual NodeFileLook look(const NodeRegistration& node) = 0;
    virtual std::optional<std::set<std::pair<JobId, std::int64_t>>> start_marks(
        const NodeRegistration& node) = 0;

    /// The file of a dead node that nobody needs any more.
    virtual void remove(const NodeRegistration& node) = 0;
};

/// The lock files on this machine.
class LockFileProof final : public NodeProof {
public:
    NodeFileLook look(const NodeRegistration& node) override;
    std::optional<std::set<std::pair<JobId, std::int64_t>>> start_marks(
        const NodeRegistration& node) override;
    void remove(const NodeRegistration& node) override;
};

}  // namespace jobhost
