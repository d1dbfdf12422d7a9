#include <map>

#include "tests/torture/rules.h"

namespace jobhost::torture {
namespace {

bool is_terminal(const std::string& state) {
    return state == "succeeded" || state == "failed" || state == "expired" || state == "cancelled";
}

}  // namespace

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
    for (const Line& line : evidence.ledger) {
        if (line.word != "rolled_back") continue;
        const std::int64_t id = line.number("id");
        if (!evidence.jobs.contains(id) && !evidence.starts.contains(id)) continue;
        out.push_back({"what was rolled back never exists", id, text_of(line)});
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

void check_counts(const Evidence& evidence, Violations& out) {
    std::map<std::string, std::int64_t> there;
    for (const StoredJob& job : evidence.store.jobs) ++there[job.state];
    for (const auto& [state, jobs] : evidence.store.counted) {
        if (there[state] == jobs) continue;
        out.push_back({"the store counts its jobs right", 0,
                       std::to_string(jobs) + " are counted as " + state + ", and " +
                           std::to_string(there[state]) + " are"});
    }
}

}  // namespace jobhost::torture
