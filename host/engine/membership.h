#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/engine/job_events.h"
#include "storage/node_file.h"
#include "storage/store.h"

namespace jobhost {

/// Who this node is in the store. Its identity is a random incarnation per registration; declared
/// dead by others, it registers anew and its old leases are worth nothing. Thread-safe.
class Membership {
public:
    /// `introduce` fills in everything but incarnation and lock file. Registers at once; throws
    /// StorageError.
    Membership(StoreHandle& store, NodeRegistration introduce, const Clock& clock,
               JobEvents& events);

    NodeId node() const { return node_.load(); }

    /// The current lock file; nullptr when the store is not on this machine.
    std::shared_ptr<NodeFile> file() const;

    /// Differs when a lock file in this node's folder has come or gone since; 0: there is no
    /// folder. Two changes in one tick of the kernel's clock may look like one.
    std::int64_t folder_stamp() const;

    /// False: the lock of the node's file was taken from it. It claims nothing until it renews.
    bool may_claim() const { return !lock_lost_.load(); }

    /// Increases the counter in the store; renews when others had declared this node dead. Throws
    /// StorageError.
    void beat();

    /// The queues that this node works on now: stored with the next beat.
    void set_queues(std::vector<std::string> queues);

    /// A new registration, unless that happened already: `lost` is the identity that turned out
    /// dead.
    void renew(NodeId lost);

    /// A new registration with a new lock file, for a node whose lock was taken and that holds no
    /// job any more. Throws StorageError.
    void replace_lock();

    /// The node's own beats reach the store in time: only then may it judge others by their
    /// silence.
    bool beats_on_time() const;

    /// Looks whether the lock file still proves that this node lives.
    void check_lock();

    /// The orderly end. `at_least_once`: types whose dead-letter runs, if started, run again.
    void leave(std::span<const std::string> at_least_once);

private:
    void register_now();
    void take_new_queues();
    void set_file(std::shared_ptr<NodeFile> file);

    const Duration beat_interval_;
    const std::string node_folder_;
    const Clock& clock_;
    JobEvents& events_;
    std::atomic<NodeId> node_ = 0;
    std::atomic<bool> lock_lost_ = false;
    std::atomic<SteadyPoint> beaten_at_ = SteadyPoint::min();

    std::mutex mutex_;
    // Guarded by mutex_, which is held while the store answers:
    NodeRegistration introduce_;
    bool queues_are_stored_ = true;
    std::unique_ptr<Store> session_;
    mutable std::mutex file_mutex_;
    // Guarded by file_mutex_, which nobody holds for long:
    std::shared_ptr<NodeFile> file_;  // beats while the store is locked
    std::optional<std::vector<std::string>> new_queues_ = {};
};

}  // namespace jobhost
