#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "storage/store.h"

namespace jobhost::testing_support {

/// A node as the engine would be one, without threads: claims and ends runs by hand.
class StoreWorker {
public:
    StoreWorker(Store& store, const std::string& name, std::vector<std::string> types,
                std::vector<std::string> queues = {"default"})
        : store_(store), types_(std::move(types)) {
        NodeRegistration registration{.incarnation = std::string(31, 'a') + name.substr(0, 1),
                                      .name = name,
                                      .service = "tests",
                                      .host = "here",
                                      .version = "1",
                                      .pid = 1,
                                      .beat_interval = std::chrono::seconds(5),
                                      .beat_timeout = std::chrono::seconds(30)};
        std::vector<ClaimQueue> plan;
        for (const std::string& type : types_) registration.types.push_back({type, true});
        for (const std::string& queue : queues) {
            ClaimQueue& entry = plan.emplace_back();
            entry.name = queue;
            for (const std::string& type : types_) {
                entry.types.push_back({.name = type, .max_attempts = 3});
            }
        }
        registration.queues = queues;
        node_ = store.register_node(registration);
        store.set_claim_plan(std::move(plan));
    }

    NodeId node() const { return node_; }

    /// At most `count` jobs from the queue with this index.
    std::vector<ClaimedJob> claim(int count, std::size_t queue = 0) {
        const std::vector<Demand> demands{{.queue = queue, .free = count}};
        Exchanged answer = store_.exchange(node_, {}, demands);
        requests_.insert(requests_.end(), answer.requests.begin(), answer.requests.end());
        return std::move(answer.claimed);
    }

    ClaimedJob claim_one(std::size_t queue = 0) {
        std::vector<ClaimedJob> claimed = claim(1, queue);
        EXPECT_EQ(claimed.size(), 1U);
        return claimed.empty() ? ClaimedJob{} : std::move(claimed.front());
    }

    WriteAnswer write(Write item) {
        const std::vector<Write> writes{std::move(item)};
        Exchanged answer = store_.exchange(node_, writes, {});
        requests_.insert(requests_.end(), answer.requests.begin(), answer.requests.end());
        EXPECT_EQ(answer.answers.size(), 1U);
        return answer.answers.empty() ? WriteAnswer{} : std::move(answer.answers.front());
    }

    WriteAnswer end(const ClaimedJob& job, Transition next) {
        return write(RunReport{.lease = job.lease, .next = std::move(next),
                               .started_at = job.claimed_at});
    }

    WriteAnswer succeed(const ClaimedJob& job) { return end(job, Succeed{}); }

    WriteAnswer fail(const ClaimedJob& job, std::vector<OwedDeadLetter> owed = {},
                     const std::string& message = "it broke") {
        return end(job, Fail{.why = error_of(job, message), .reason = "exhausted",
                             .owed = std::move(owed)});
    }

    WriteAnswer retry(const ClaimedJob& job, Duration delay, const std::string& message = "again") {
        return end(job, Retry{.delay = delay, .why = error_of(job, message)});
    }

    static JobError error_of(const ClaimedJob& job, const std::string& message) {
        return {.type = "pay::Refused",
                .types = {"pay::Refused", "std::runtime_error", "std::exception"},
                .message = message,
                .stack_trace = "#0 pay::charge",
                .attempt = job.attempt,
                .fence = job.lease.fence};
    }

    /// What operators asked of this node so far.
    const std::vector<NodeRequest>& requests() const { return requests_; }

    void die() {
        for (const Node& node : store_.nodes()) {
            if (node.id != node_) continue;
            EXPECT_TRUE(store_.declare_dead(node_, node.beats, "killed"));
        }
    }

private:
    Store& store_;
    const std::vector<std::string> types_;
    NodeId node_ = 0;
    std::vector<NodeRequest> requests_;
};

/// Enqueues one job that must be accepted; returns its id.
inline JobId enqueue_one(Store& store, NewJob job) {
    const std::vector<NewJob> jobs{std::move(job)};
    const EnqueueResult result = store.enqueue(jobs);
    const auto* answers = std::get_if<std::vector<Enqueued>>(&result);
    if (answers == nullptr) {
        ADD_FAILURE() << std::get<EnqueueRefusal>(result).reason;
        return 0;
    }
    return answers->front().id;
}

/// All pages of a list, with this page size.
inline std::vector<Job> list_all(Store& store, const JobFilter& filter, int page_size) {
    std::vector<Job> jobs;
    std::string after;
    for (int pages = 0; pages < 10'000; ++pages) {
        JobPage page = store.list_jobs(filter, page_size, after);
        EXPECT_LE(page.jobs.size(), static_cast<std::size_t>(page_size));
        for (Job& job : page.jobs) jobs.push_back(std::move(job));
        if (page.next.empty()) return jobs;
        after = page.next;
    }
    ADD_FAILURE() << "the list does not end";
    return jobs;
}

inline std::vector<JobId> ids_of(const std::vector<Job>& jobs) {
    std::vector<JobId> ids;
    for (const Job& job : jobs) ids.push_back(job.id);
    return ids;
}

}  // namespace jobhost::testing_support
