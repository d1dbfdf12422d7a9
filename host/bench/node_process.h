#pragma once

#include <filesystem>
#include <functional>

#include <sys/types.h>

#include "host/bench/board.h"
#include "host/engine/engine.h"

namespace jobhost::bench {

/// The hidden subcommand with which a program that measures starts itself again as a node.
inline constexpr const char* kNodeCommand = "bench-node";

/// A node whose jobs do nothing but being measured.
EngineSettings node_settings(int workers);

/// A node in another process, on a store that is there. It waits for `Board::go`, works until it is
/// told to stop or this process is gone, and leaves in order.
class NodeProcess {
public:
    /// `program` hands kNodeCommand to run_node. Throws std::system_error.
    NodeProcess(const StoreOptions& store, int workers, const SharedBoard& board,
                const std::filesystem::path& program = "/proc/self/exe");
    ~NodeProcess();
    NodeProcess(const NodeProcess&) = delete;
    NodeProcess& operator=(const NodeProcess&) = delete;

    pid_t pid() const { return pid_; }

    /// It has ended, by itself, and never will do anything: something is wrong with the store.
    bool has_ended();

    /// SIGKILL: without a goodbye.
    void kill();

private:
    void wait();

    pid_t pid_ = -1;
    int orders_ = -1;  // closed: stop
};

/// The child's side; `types` makes what it can run. Returns the process's exit status.
int run_node(const std::function<JobTypes(Board&)>& types);

}  // namespace jobhost::bench
