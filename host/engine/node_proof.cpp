#include "host/engine/node_proof.h"

#include <filesystem>

namespace jobhost {

NodeFileLook LockFileProof::look(const NodeRegistration& node) {
    if (node.lock_file.empty()) return {};
    return look_at_node_file(node.lock_file, node.lock_inode);
}

std::optional<std::set<std::pair<JobId, std::int64_t>>> LockFileProof::start_marks(
    const NodeRegistration& node) {
    if (node.lock_file.empty()) return std::nullopt;
    return read_start_marks(node.lock_file, node.lock_inode);
}

void LockFileProof::remove(const NodeRegistration& node) {
    const NodeFileLook seen = look(node);
    if (!seen.exists || seen.locked) return;
    std::error_code gone_already;
    std::filesystem::remove(node.lock_file, gone_already);
}

}  // namespace jobhost
