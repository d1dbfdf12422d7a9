// A node that the crash test kills: claims and ends jobs as fast as it can, and writes one byte to
// standard output for each exchange that it came through.
//
//   crash_worker URL

#include <string>
#include <unistd.h>
#include <vector>

#include "storage/store.h"

namespace jobhost {
namespace {

Transition outcome_of(const ClaimedJob& job) {
    switch (job.lease.job % 7) {
        case 0: return job.attempt < 3 ? Transition(Retry{.why = {.type = "X"}}) : Succeed{};
        case 1: return job.attempt < 2 ? Transition(Release{}) : Succeed{};
        default: return Succeed{};
    }
}

void work(const std::string& url) {
    const SystemClock clock;
    const auto handle = open_store({.url = url}, clock, false);
    const auto store = handle->open_session();
    const NodeId node = store->register_node({.incarnation = std::to_string(getpid()),
                                              .name = "crash",
                                              .pid = getpid(),
                                              .types = {{.name = "a"}}});
    store->set_claim_plan({{.name = "default", .types = {{.name = "a", .max_attempts = 10000}}}});
    const std::vector<Demand> demand{{.queue = 0, .free = 20}};
    std::vector<Write> writes;
    for (bool alive = true; alive;) {
        const Exchanged answer = store->exchange(node, writes, demand);
        alive = answer.node_alive && write(STDOUT_FILENO, ".", 1) == 1;
        writes.clear();
        for (const ClaimedJob& job : answer.claimed) {
            writes.emplace_back(RunReport{
                .lease = job.lease, .next = outcome_of(job), .started_at = job.claimed_at});
        }
    }
}

}  // namespace
}  // namespace jobhost

int main(int, char** argv) {
    jobhost::work(argv[1]);
    return 0;
}
