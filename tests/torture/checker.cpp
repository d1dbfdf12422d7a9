#include "tests/torture/checker.h"

#include "tests/torture/evidence.h"
#include "tests/torture/rules.h"

namespace jobhost::torture {

std::string text_of(const Line& line) {
    std::string text = line.word;
    for (const auto& [name, value] : line.fields) text.append(" ").append(name + "=" + value);
    return text;
}

std::vector<Violation> check(const Ledger& ledger, const StoreFacts& store, Tolerance tolerance) {
    const Evidence evidence(ledger, store);
    Violations violations;
    check_integrity(evidence, violations);
    check_ends(evidence, violations);
    check_fences(evidence, tolerance, violations);
    check_dead_letters(evidence, violations);
    check_attempts(evidence, violations);
    check_owners(evidence, violations);
    check_keys(evidence, violations);
    check_children(evidence, violations);
    check_bulks(evidence, violations);
    check_expired(evidence, violations);
    check_counts(evidence, violations);
    return violations;
}

Counts count(const Ledger& ledger, const StoreFacts& store) {
    Counts counts{.jobs = store.jobs.size()};
    for (const Line& line : ledger) {
        if (line.word == "accepted") ++counts.accepted;
        if (line.word == "start") ++counts.runs;
        if (line.word == "handler") ++counts.handlers;
        if (line.word == "shutdown") ++counts.shutdowns;
    }
    for (const StoredJob& job : store.jobs) counts.keys += job.key.empty() ? 0 : 1;
    for (const StoredFault& fault : store.faults) {
        counts.orphanings += fault.type == "jobhost::OrphanedJobError" ? 1 : 0;
    }
    return counts;
}

}  // namespace jobhost::torture
