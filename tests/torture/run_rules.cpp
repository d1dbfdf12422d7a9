#include <map>

#include "tests/torture/rules.h"

namespace jobhost::torture {

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

namespace {

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

}  // namespace

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

}  // namespace jobhost::torture
