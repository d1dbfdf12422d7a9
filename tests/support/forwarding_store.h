#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "storage/store.h"

namespace jobhost {

/// A session that hands everything on to a real one: tests override what they want to stage.
class ForwardingStore : public Store {
public:
    /// `real` may be null when the test overrides all that is called.
    explicit ForwardingStore(std::unique_ptr<Store> real) : real_(std::move(real)) {}

    // Storage
    TimePoint now() override { return real_->now(); }
    EnqueueResult enqueue(std::span<const NewJob> jobs) override { return real_->enqueue(jobs); }
    NodeId register_node(const NodeRegistration& registration) override {
        return real_->register_node(registration);
    }
    bool beat(NodeId node) override { return real_->beat(node); }
    std::vector<Node> nodes() override { return real_->nodes(); }
    bool declare_dead(NodeId node, std::int64_t beats_seen, const std::string& how) override {
        return real_->declare_dead(node, beats_seen, how);
    }
    void leave(NodeId node, std::span<const std::string> at_least_once) override {
        real_->leave(node, at_least_once);
    }
    void set_queues(NodeId node, std::span<const std::string> queues) override {
        real_->set_queues(node, queues);
    }
    void answer_request(std::int64_t request, const RequestAnswer& answer) override {
        real_->answer_request(request, answer);
    }
    void set_claim_plan(std::vector<ClaimQueue> plan) override {
        real_->set_claim_plan(std::move(plan));
    }
    Exchanged exchange(NodeId node, std::span<const Write> writes,
                       std::span<const Demand> demands) override {
        return real_->exchange(node, writes, demands);
    }
    std::vector<Lease> leases_of(NodeId node) override { return real_->leases_of(node); }
    std::vector<OwedRun> adopt_dead_letters(NodeId node, std::span<const std::string> own_types,
                                            int limit) override {
        return real_->adopt_dead_letters(node, own_types, limit);
    }
    std::vector<LeftRun> close_dead_letters(std::span<const std::string> own_types,
                                            std::span<const std::string> at_least_once) override {
        return real_->close_dead_letters(own_types, at_least_once);
    }
    int recover_orphans(std::span<const std::string> own_types, int limit) override {
        return real_->recover_orphans(own_types, limit);
    }
    int expire_jobs(int limit) override { return real_->expire_jobs(limit); }
    OrphanReporter* orphan_reporter() override { return real_->orphan_reporter(); }

    // JobQueries
    std::optional<Job> find_job(JobId id) override { return real_->find_job(id); }
    JobPage list_jobs(const JobFilter& filter, int limit, const std::string& after) override {
        return real_->list_jobs(filter, limit, after);
    }
    std::int64_t count_jobs(const JobFilter& filter, std::int64_t cap) override {
        return real_->count_jobs(filter, cap);
    }
    std::vector<TypeCounts> type_counts() override { return real_->type_counts(); }
    std::vector<DueCount> due_counts(std::int64_t cap) override { return real_->due_counts(cap); }
    FailureGroups failure_groups(int look_at_most) override {
        return real_->failure_groups(look_at_most);
    }
    std::vector<MinuteStat> minute_stats(TimePoint since) override {
        return real_->minute_stats(since);
    }
    std::vector<Pause> pauses() override { return real_->pauses(); }
    std::vector<DeadLetter> dead_letters(JobId job, std::optional<DeadLetterState> state, int limit,
                                         std::int64_t after) override {
        return real_->dead_letters(job, state, limit, after);
    }
    std::int64_t open_dead_letters(const std::vector<std::string>& types) override {
        return real_->open_dead_letters(types);
    }

    // JobControl
    ControlAnswer requeue_job(JobId id, bool fresh) override {
        return real_->requeue_job(id, fresh);
    }
    ControlAnswer cancel_job(JobId id, const std::string& by) override {
        return real_->cancel_job(id, by);
    }
    RerunAnswer rerun_dead_letter(std::int64_t run, bool force) override {
        return real_->rerun_dead_letter(run, force);
    }
    ControlAnswer delete_job(JobId id) override { return real_->delete_job(id); }
    bool pause(Pause::Kind kind, const std::string& name, const std::string& service,
               const std::string& by) override {
        return real_->pause(kind, name, service, by);
    }
    bool resume(Pause::Kind kind, const std::string& name, const std::string& service) override {
        return real_->resume(kind, name, service);
    }
    std::optional<std::int64_t> ask_node(NodeId node, NodeRequest::Kind kind,
                                         const std::string& argument,
                                         const std::string& by) override {
        return real_->ask_node(node, kind, argument, by);
    }
    std::optional<RequestAnswer> take_answer(std::int64_t request) override {
        return real_->take_answer(request);
    }
    PurgeCount purge(const RetentionTimes& keep, int batch) override {
        return real_->purge(keep, batch);
    }

private:
    const std::unique_ptr<Store> real_;
};

/// An engine that cannot tell whose jobs were orphaned.
class StoreWithoutReporter final : public ForwardingStore {
public:
    using ForwardingStore::ForwardingStore;
    OrphanReporter* orphan_reporter() override { return nullptr; }
};

/// A store whose sessions are all without OrphanReporter.
class HandleWithoutReporter final : public StoreHandle {
public:
    explicit HandleWithoutReporter(StoreHandle& real) : real_(real) {}
    std::unique_ptr<Store> open_session() override {
        return std::make_unique<StoreWithoutReporter>(real_.open_session());
    }
    std::unique_ptr<ChangeListener> open_listener() override { return real_.open_listener(); }
    std::string node_folder() const override { return real_.node_folder(); }
    std::string description() const override { return real_.description(); }
    std::string schema_version() const override { return real_.schema_version(); }

private:
    StoreHandle& real_;
};

}  // namespace jobhost
