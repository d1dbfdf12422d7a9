#include "host/api/act.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "storage/check.h"

namespace jobhost::api {
namespace {

using Outcome = ControlAnswer::Outcome;

constexpr int kPage = 500;

std::vector<JobState> usual_states(Act act) {
    using enum JobState;
    switch (act) {
        case Act::kRequeue: return {kFailed, kExpired, kCancelled};
        case Act::kCancel: return {kScheduled, kEnqueued, kProcessing, kAwaiting};
        case Act::kDelete: return {kSucceeded, kFailed, kExpired, kCancelled};
    }
    JOBHOST_CHECK(false && "an unknown act");
    __builtin_unreachable();
}

bool runs_on_live_node(Store& store, const Job& job) {
    return std::ranges::any_of(store.nodes(), [&](const Node& node) {
        return node.id == job.node && node.state == NodeState::kLive;
    });
}

}  // namespace

const char* verb_of(Act act) {
    constexpr std::array<const char*, 3> kVerbs = {"requeue", "cancel", "delete"};
    return kVerbs.at(static_cast<std::size_t>(act));
}

const char* done_word(Act act) {
    constexpr std::array<const char*, 3> kWords = {"requeued", "cancelled", "deleted"};
    return kWords.at(static_cast<std::size_t>(act));
}

JobActs::JobActs(Store& store, ActWish wish, Sink sink)
    : store_(store), wish_(std::move(wish)), sink_(std::move(sink)) {}

void JobActs::by_ids(const std::vector<JobId>& ids) {
    for (const JobId id : ids) {
        if (!wish_.dry_run) {
            tell(id, act(id));
        } else if (const auto job = store_.find_job(id)) {
            would(*job);
        } else {
            tell(id, {.outcome = Outcome::kNotFound});
        }
    }
}

void JobActs::by_filter(JobFilter filter) {
    if (filter.states.empty()) filter.states = usual_states(wish_.act);
    // The ids first: acting moves jobs from one place of the list to another.
    std::vector<JobId> ids;
    std::int64_t left = wish_.at_most;
    std::string after = wish_.after;
    do {
        const auto page_size = static_cast<int>(std::min<std::int64_t>(kPage, left));
        const JobPage page = store_.list_jobs(filter, page_size, after);
        for (const Job& job : page.jobs) {
            if (wish_.dry_run) {
                would(job);
            } else {
                ids.push_back(job.id);
            }
        }
        left -= std::ssize(page.jobs);
        after = page.next;
    } while (!after.empty() && left > 0);
    by_ids(ids);
    counts_.next = after;
}

ControlAnswer JobActs::act(JobId id) {
    switch (wish_.act) {
        case Act::kRequeue: return store_.requeue_job(id, wish_.fresh);
        case Act::kCancel: return store_.cancel_job(id, wish_.by);
        case Act::kDelete: return store_.delete_job(id);
    }
    JOBHOST_CHECK(false && "an unknown act");
    __builtin_unreachable();
}

/// What the store would say, as far as the state tells.
bool JobActs::would_refuse(const Job& job) const {
    switch (wish_.act) {
        case Act::kRequeue: return !is_terminal(job.state);
        case Act::kCancel: return is_terminal(job.state);
        case Act::kDelete:
            return job.state == JobState::kProcessing && runs_on_live_node(store_, job);
    }
    return false;
}

void JobActs::would(const Job& job) {
    if (would_refuse(job)) {
        const std::string now =
            "job " + std::to_string(job.id) + " is " + std::string(jobhost::to_string(job.state));
        return tell(job.id, {.outcome = Outcome::kRefused, .reason = now, .state = job.state});
    }
    ++counts_.done;
    sink_({.id = job.id, .would = true, .answer = {.state = job.state}});
}

void JobActs::tell(JobId id, ControlAnswer answer) {
    switch (answer.outcome) {
        case Outcome::kDone: ++counts_.done; break;
        case Outcome::kRequested: ++counts_.requested; break;
        case Outcome::kNotFound: ++counts_.not_found; break;
        case Outcome::kRefused: ++counts_.refused; break;
    }
    sink_({.id = id, .answer = std::move(answer)});
}

void write_act_item(JsonWriter& json, Act act, const ActItem& item) {
    constexpr std::array<const char*, 4> kOutcomes = {"done", "requested", "not_found", "refused"};
    const Outcome outcome = item.answer.outcome;
    json.begin_object().key("id").id(item.id);
    json.field("outcome", item.would ? "would" : kOutcomes.at(static_cast<std::size_t>(outcome)))
        .text_or_null("reason", item.answer.reason)
        .key("state");
    const bool is_gone = outcome == Outcome::kNotFound ||
                         (outcome == Outcome::kDone && act == Act::kDelete && !item.would);
    if (is_gone) {
        json.null();
    } else {
        json.value(jobhost::to_string(item.answer.state));
    }
    json.end_object();
}

void write_act_counts(JsonWriter& json, bool dry_run, const ActCounts& counts) {
    json.field(dry_run ? "would" : "done", counts.done)
        .field("requested", counts.requested)
        .field("refused", counts.refused)
        .field("not_found", counts.not_found);
}

}  // namespace jobhost::api
