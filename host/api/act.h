#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "host/text/json_writer.h"
#include "storage/store.h"

namespace jobhost::api {

/// What an operator does to jobs.
enum class Act { kRequeue, kCancel, kDelete };

/// `requeue` and `requeued`.
const char* verb_of(Act act);
const char* done_word(Act act);

struct ActWish {
    Act act = Act::kRequeue;
    bool dry_run = false;  // only say what would be done
    bool fresh = false;    // requeue: drop the checkpoint
    std::string by = {};   // who acts, for the record
    std::int64_t at_most = std::numeric_limits<std::int64_t>::max();  // jobs, by filter
    std::string after = {};  // by filter: where an earlier part ended
};

/// What became of one job, or would.
struct ActItem {
    JobId id = 0;
    bool would = false;  // a dry run, and the act is possible: `answer.state` is the state now
    ControlAnswer answer = {};
};

struct ActCounts {
    std::int64_t done = 0;  // a dry run: would be
    std::int64_t requested = 0;
    std::int64_t refused = 0;
    std::int64_t not_found = 0;
    std::string next = {};  // there are more than `at_most`: go on after this
};

/// Acts on jobs one after another, each in a transaction of its own, and tells of each as it goes:
/// a filter may mean millions. A filter without states takes those that the act is plainly meant
/// for: requeue the failed, expired and cancelled ones, cancel those that have not ended, delete
/// those that have.
class JobActs {
public:
    using Sink = std::function<void(const ActItem& item)>;
    JobActs(Store& store, ActWish wish, Sink sink);

    void by_ids(const std::vector<JobId>& ids);
    void by_filter(JobFilter filter);

    const ActCounts& counts() const { return counts_; }

private:
    ControlAnswer act(JobId id);
    bool would_refuse(const Job& job) const;
    void would(const Job& job);
    void tell(JobId id, ControlAnswer answer);

    Store& store_;
    const ActWish wish_;
    const Sink sink_;
    ActCounts counts_ = {};
};

void write_act_item(JsonWriter& json, Act act, const ActItem& item);

/// The members `done` (a dry run: `would`), `requested`, `refused` and `not_found`.
void write_act_counts(JsonWriter& json, bool dry_run, const ActCounts& counts);

}  // namespace jobhost::api
