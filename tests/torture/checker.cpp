#include "tests/torture/checker.h"

#include <algorithm>

#include "tests/torture/evidence.h"

namespace jobhost::torture {
namespace {

using Violations = std::vector<Violation>;

std::string text_of(const Line& line) {
    std::string text = line.word;
    for (const auto& [name, value] : line.fields) text.append(" ").append(name + "=" + value);
    return text;
}

bool is_terminal(const std::string& state) {
    return state == "succeeded" || state == "failed" || state == "expired" || state == "cancelled";
}

void check_integrity(const Evidence& evidence, Violations& out) {
    if (evidence.store.integrity == "ok") return;
    out.push_back({"the store is sound", 0, evidence.store.integrity});
}

void check_ends(const Evidence& evidence, Violations& out) {
    constexpr const char* kSentence = "every accepted job ended exactly once in one terminal state";
    for (const Line& line : evidence.ledger) {
        if (line.word != "accepted" || evidence.jobs.contains(line.number("id"))) continue;
        out.push_back({kSentence, line.number("id"), "is not in the store: " + text_of(line)});
    }
    for (const StoredJob& job : evidence.store.jobs) {
        if (job.places != 1) {
            out.push_back(
                {kSentence, job.id, "is in " + std::to_string(job.places) + " states at a time"});
        } else if (!is_terminal(job.state)) {
            out.push_back({kSentence, job.id, "is " + job.state});
        }
    }
}

/// A run is stale from the start of one with a higher fence on: what it commits must not count. So
/// the stored end belongs to the highest fence that ever ran, and a success to a run that worked.
void check_fences(const Evidence& evidence, Tolerance tolerance, Violations& out) {
    constexpr const char* kSentence = "no effect of a stale fence after a newer one";
    for (const auto& [id, starts] : evidence.starts) {
        std::map<std::int64_t, int> of_fence;
        for (const Line* start : starts) ++of_fence[start->number("fence")];
        for (const auto& [fence, runs] : of_fence) {
            if (runs > 1 && !tolerance.forgotten_claims) {
                out.push_back(
                    {"a fence runs once", id,
                     "fence " + std::to_string(fence) + " ran " + std::to_string(runs) + " times"});
            }
        }
        const auto job = evidence.jobs.find(id);
        if (job == evidence.jobs.end()) {
            out.push_back({"what runs is in the store", id, text_of(*starts.front())});
        } else if (of_fence.rbegin()->first > job->second->fence) {
            out.push_back({kSentence, id,
                           "ended by fence " + std::to_string(job->second->fence) +
                               " although fence " + std::to_string(of_fence.rbegin()->first) +
                               " had started"});
        }
    }
    for (const StoredJob& job : evidence.store.jobs) {
        if (job.state != "succeeded" || evidence.effects.contains({job.id, job.fence})) continue;
        out.push_back(
            {kSentence, job.id,
             "succeeded by fence " + std::to_string(job.fence) + ", which had no effect"});
    }
}

/// For each move to `failed` one run. Moves before the last one are those of requeued jobs.
void check_owed(const Evidence& evidence, Violations& out) {
    constexpr const char* kSentence =
        "a move to failed owes the handler one run, and nothing else does";
    const auto say = [&](std::int64_t job, std::int64_t fence, int runs) {
        out.push_back(
            {kSentence, job, std::to_string(runs) + " runs for fence " + std::to_string(fence)});
    };
    for (const auto& [run, runs] : evidence.owed) {
        const auto job = evidence.jobs.find(run.first);
        const bool is_last = job != evidence.jobs.end() && job->second->state == "failed" &&
                             job->second->fence == run.second;
        if (runs > 1 || (!is_last && !evidence.requeued.contains(run.first))) {
            say(run.first, run.second, runs);
        }
    }
    for (const StoredJob& job : evidence.store.jobs) {
        if (job.state == "failed" && !evidence.owed.contains({job.id, job.fence})) {
            say(job.id, job.fence, 0);
        }
    }
}

void check_dead_letters(const Evidence& evidence, Violations& out) {
    constexpr const char* kOnce = "a dead-letter handler runs at most once per failure";
    for (const auto& [run, times] : evidence.handlers) {
        if (times > 1) {
            out.push_back(
                {kOnce, run.first,
                 std::to_string(times) + " times for fence " + std::to_string(run.second)});
        }
        if (!evidence.owed.contains(run)) {
            out.push_back({"a handler runs only after the move to failed was stored", run.first,
                           "handled for fence " + std::to_string(run.second)});
        }
    }
    for (const auto& [forward, times] : evidence.forwards) {
        if (times <= 1) continue;
        out.push_back({"a forwarder runs at most once per failure", forward.first.first,
                       std::to_string(times) + " times by " + forward.second});
    }
    for (const StoredDeadLetter& row : evidence.store.dead_letters) {
        if (row.state < 2) {
            out.push_back({"every dead-letter run ends", row.job, row.name + " has not ended"});
        }
        // 2: returned. 3: threw. Both were called.
        const Evidence::Run run(row.job, row.fence);
        if (row.is_handler && (row.state == 2 || row.state == 3) &&
            !evidence.handlers.contains(run)) {
            out.push_back(
                {"a dead-letter run that is stored as done was called", row.job, row.name});
        }
    }
    check_owed(evidence, out);
}

void check_attempts(const Evidence& evidence, Violations& out) {
    constexpr const char* kLimit = "attempts are never above the limit";
    constexpr const char* kShutdown = "no attempt is used by a shutdown";
    for (const auto& [id, starts] : evidence.starts) {
        for (const Line* start : starts) {
            if (start->number("attempt") > start->number("max") || start->number("attempt") < 1) {
                out.push_back({kLimit, id, text_of(*start)});
            }
        }
    }
    for (const StoredJob& job : evidence.store.jobs) {
        if (job.max_attempts > 0 && job.attempts > job.max_attempts) {
            out.push_back(
                {kLimit, job.id,
                 std::to_string(job.attempts) + " of " + std::to_string(job.max_attempts)});
        }
        // What uses an attempt: a success, and whatever leaves an error behind.
        // A requeue begins to count anew and keeps the errors.
        if ((job.state != "succeeded" && job.state != "failed") ||
            evidence.requeued.contains(job.id)) {
            continue;
        }
        const auto found = evidence.faults.find(job.id);
        const int faults = found == evidence.faults.end() ? 0 : found->second;
        const int used = faults + (job.state == "succeeded" ? 1 : 0);
        if (job.attempts != used) {
            out.push_back({"every attempt was used by a success or by a stored error", job.id,
                           std::to_string(job.attempts) + " attempts, but " + job.state + " with " +
                               std::to_string(faults) + " errors"});
        }
    }
    for (const Line& line : evidence.ledger) {
        if (line.word != "shutdown" || !evidence.stopped_in_order.contains(line.number("host"))) {
            continue;
        }
        if (evidence.orphaned.contains({line.number("job"), line.number("fence")})) {
            out.push_back({kShutdown, line.number("job"), text_of(line)});
        }
    }
}

void check_owners(const Evidence& evidence, Violations& out) {
    constexpr const char* kSentence = "only the service that owns a type runs, fails or handles it";
    for (const Line& line : evidence.ledger) {
        if (line.fields.contains("job") && line.fields.contains("type")) {
            const auto host = evidence.service_of_host.find(line.number("host"));
            const bool is_owner = line.text("service") == owner_of(line.text("type")) &&
                                  host != evidence.service_of_host.end() &&
                                  host->second == line.text("service");
            // A forwarder may see any failed job that its host dead-letters: those of its own
            // types.
            if (!is_owner) out.push_back({kSentence, line.number("job"), text_of(line)});
        }
    }
    for (const StoredJob& job : evidence.store.jobs) {
        // Any node may expire any job.
        if (job.service.empty() || job.state == "expired" || job.service == owner_of(job.type)) {
            continue;
        }
        out.push_back({kSentence, job.id, job.type + " was ended by " + job.service});
    }
    for (const StoredDeadLetter& row : evidence.store.dead_letters) {
        if (row.service.empty() || row.service == owner_of(row.type)) continue;
        out.push_back({kSentence, row.job, row.name + " belongs to a node of " + row.service});
    }
}

/// A key may be taken again only after its job failed, expired or was cancelled; one that was only
/// ever taken with `reject_always` never is. Ids say nothing of who was first.
void check_keys(const Evidence& evidence, Violations& out) {
    constexpr const char* kSentence = "an idempotency key never makes two live jobs";
    std::map<std::pair<std::string, std::string>, const StoredJob*> holders;
    for (const StoredJob& job : evidence.store.jobs) {
        if (job.key.empty()) continue;
        const bool gave_it_back = is_terminal(job.state) && job.state != "succeeded";
        const bool is_never_free = job.key.starts_with("once-");
        if (gave_it_back && !is_never_free) continue;
        // A requeue takes the key back from a job that succeeded meanwhile.
        if (evidence.requeued.contains(job.id) && !is_never_free) continue;
        const StoredJob*& holder = holders[{job.type, job.key}];
        if (holder != nullptr) {
            out.push_back({kSentence, job.id,
                           job.state + " with key " + job.key + ", which job " +
                               std::to_string(holder->id) + " has too, which is " + holder->state});
        }
        holder = &job;
    }
    for (const Line& line : evidence.ledger) {
        if (line.word != "accepted" || line.text("key").empty()) continue;
        const auto job = evidence.jobs.find(line.number("id"));
        if (job == evidence.jobs.end() || job->second->key == line.text("key")) continue;
        out.push_back({"the answer to a key is a job with that key", line.number("id"),
                       text_of(line) + ", stored with " + job->second->key});
    }
}

void check_children(const Evidence& evidence, Violations& out) {
    std::map<std::string, int> children;
    for (const StoredJob& job : evidence.store.jobs) {
        if (job.source.starts_with("job:")) ++children[job.source.substr(4)];
    }
    for (const auto& [parent, number] : children) {
        const std::int64_t id = std::stoll(parent);
        const auto job = evidence.jobs.find(id);
        if (number == 1 && job != evidence.jobs.end() && job->second->state == "succeeded")
            continue;
        out.push_back({"a job that is enqueued on success exists once, and only after a success",
                       id,
                       std::to_string(number) + " children of a job that is " +
                           (job == evidence.jobs.end() ? "unknown" : job->second->state)});
    }
}

void check_bulks(const Evidence& evidence, Violations& out) {
    std::map<std::string, std::int64_t> stored;
    for (const StoredTag& tag : evidence.store.tags) stored[tag.tag] = tag.jobs;
    for (const Line& line : evidence.ledger) {
        if (line.word != "bulk") continue;
        const auto found = stored.find(line.text("tag"));
        if (found == stored.end() || found->second == line.number("size")) continue;
        out.push_back({"a bulk enqueue is all or nothing", 0,
                       text_of(line) + ": " + std::to_string(found->second) + " are stored"});
    }
}

void check_expired(const Evidence& evidence, Violations& out) {
    for (const StoredJob& job : evidence.store.jobs) {
        if (job.state != "expired" || !evidence.starts.contains(job.id)) continue;
        out.push_back(
            {"an expired job never ran", job.id, text_of(*evidence.starts.at(job.id).front())});
    }
}

}  // namespace

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
