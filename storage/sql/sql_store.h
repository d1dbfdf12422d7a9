#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "storage/sql/purge_place.h"
#include "storage/sql/session.h"
#include "storage/store.h"

namespace jobhost::sql {

/// What a store in an SQL database does in the same way whichever engine it is: all but the hot
/// path, which enqueues, ends runs and claims. Which file implements what: nodes.cpp, orphans.cpp,
/// dead_letters.cpp, maintenance.cpp, requests.cpp; queries.cpp, list_jobs.cpp, failures.cpp;
/// control.cpp, rerun.cpp, purge.cpp.
class SqlStore : public Store, public OrphanReporter {
public:
    /// The session belongs to the derived store, and lives as long.
    explicit SqlStore(Session& session) : session_(session) {}

    // Storage
    TimePoint now() override;
    NodeId register_node(const NodeRegistration& registration) override;
    bool beat(NodeId node) override;
    std::vector<Node> nodes() override;
    bool declare_dead(NodeId node, std::int64_t beats_seen, const std::string& how) override;
    void leave(NodeId node, std::span<const std::string> at_least_once) override;
    void set_queues(NodeId node, std::span<const std::string> queues) override;
    void answer_request(std::int64_t request, const RequestAnswer& answer) override;
    std::vector<Lease> leases_of(NodeId node) override;
    std::vector<OwedRun> adopt_dead_letters(NodeId node, std::span<const std::string> own_types,
                                            int limit) override;
    std::vector<LeftRun> close_dead_letters(std::span<const std::string> own_types,
                                            std::span<const std::string> at_least_once) override;
    int recover_orphans(std::span<const std::string> own_types, int limit) override;
    int expire_jobs(int limit) override;
    OrphanReporter* orphan_reporter() override { return this; }

    // OrphanReporter
    std::vector<Orphan> list_orphans(std::span<const std::string> own_types, int limit) override;
    std::vector<WriteAnswer> resolve_orphans(NodeId self,
                                             std::span<const RunReport> reports) override;

    // JobQueries
    std::optional<Job> find_job(JobId id) override;
    JobPage list_jobs(const JobFilter& filter, int limit, const std::string& after) override;
    std::int64_t count_jobs(const JobFilter& filter, std::int64_t cap) override;
    std::vector<TypeCounts> type_counts() override;
    std::vector<DueCount> due_counts(std::int64_t cap) override;
    FailureGroups failure_groups(int look_at_most) override;
    std::vector<MinuteStat> minute_stats(TimePoint since) override;
    std::vector<Pause> pauses() override;
    std::vector<DeadLetter> dead_letters(JobId job, std::optional<DeadLetterState> state, int limit,
                                         std::int64_t after) override;
    std::int64_t open_dead_letters(const std::vector<std::string>& types) override;

    // JobControl
    ControlAnswer requeue_job(JobId id, bool fresh) override;
    ControlAnswer cancel_job(JobId id, const std::string& by) override;
    ControlAnswer delete_job(JobId id) override;
    RerunAnswer rerun_dead_letter(std::int64_t run, bool force) override;
    bool pause(Pause::Kind kind, const std::string& name, const std::string& service,
               const std::string& by) override;
    bool resume(Pause::Kind kind, const std::string& name, const std::string& service) override;
    std::optional<std::int64_t> ask_node(NodeId node, NodeRequest::Kind kind,
                                         const std::string& argument,
                                         const std::string& by) override;
    std::optional<RequestAnswer> take_answer(std::int64_t request) override;
    PurgeCount purge(const RetentionTimes& keep, int batch) override;

private:
    Session& session_;
    PurgePlace purge_place_ = {};
};

/// The numbers of these names as a JSON array, for `IN {list ?}`; names that nobody used yet have
/// no number and no rows.
std::string type_ids_json(Session& session, std::span<const std::string> types);

}  // namespace jobhost::sql
