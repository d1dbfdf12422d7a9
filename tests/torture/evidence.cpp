#include "tests/torture/evidence.h"

namespace jobhost::torture {

Evidence::Evidence(const Ledger& lines, const StoreFacts& facts) : ledger(lines), store(facts) {
    for (const StoredJob& job : store.jobs) jobs[job.id] = &job;
    for (const StoredFault& fault : store.faults) {
        ++faults[fault.job];
        if (fault.type == "jobhost::OrphanedJobError") orphaned.emplace(fault.job, fault.fence);
    }
    for (const StoredDeadLetter& row : store.dead_letters) {
        if (row.is_handler) ++owed[{row.job, row.fence}];
    }
    std::set<std::int64_t> paused;
    for (const Line& line : ledger) {
        const Run run(line.number("job"), line.number("fence"));
        if (line.word == "host") service_of_host[line.number("number")] = line.text("service");
        if (line.word == "paused") paused.insert(line.number("host"));
        if (line.word == "ended" && line.number("code") == 0 && line.number("asked") == 1) {
            stopped_in_order.insert(line.number("host"));
        }
        if (line.word == "start") starts[run.first].push_back(&line);
        if (line.word == "requeue") requeued.insert(run.first);
        if (line.word == "effect") effects.insert(run);
        if (line.word == "handler") ++handlers[run];
        if (line.word == "forward") ++forwards[{run, line.text("service")}];
    }
    // A host that was stopped for long may have been declared dead, and then lost its runs as a
    // dead one does, whatever it was asked later.
    for (const std::int64_t host : paused) stopped_in_order.erase(host);
}

std::string owner_of(const std::string& type) {
    return type.substr(0, type.find('.'));
}

}  // namespace jobhost::torture
