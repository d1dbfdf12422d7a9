#include <algorithm>

#include "storage/sql/placed.h"
#include "storage/sql/sql_store.h"
#include "storage/sql/transitions.h"

namespace jobhost::sql {
namespace {

/// Type and dead node are in the query, so what this node may not touch never hides the others.
/// `running` is small: what all nodes have in their hands.
constexpr std::string_view kOrphans =
    "SELECT r.id, r.node, r.fence, r.lane, r.attempts, r.max_attempts, r.started_at, "
    "t.first_started_at, coalesce(t.orphanings, 0), n.name, n.lock_file, n.incarnation, n.death "
    "FROM running r JOIN job j ON j.id = r.id LEFT JOIN node n ON n.id = r.node "
    "LEFT JOIN trail t ON t.id = r.id "
    "WHERE (n.id IS NULL OR n.state <> 0) "
    "AND (r.lane & 4294967295) IN {list ?1} ORDER BY r.id LIMIT ?2";

std::vector<Orphan> read_orphans(Session& session, const std::string& types, int limit) {
    std::vector<Orphan> orphans;
    Query row = session.query(kOrphans);
    row.bind_all(types, limit);
    while (row.step()) {
        const Lane lane = row.integer(3);
        const std::string* type = session.names().text_of(type_of(lane));
        const std::string* queue = session.names().text_of(queue_of(lane));
        if (type == nullptr) continue;
        orphans.push_back({.lease = {.job = row.integer(0),
                                     .node = row.integer(1),
                                     .fence = row.integer(2),
                                     .token = lane},
                           .type = *type,
                           .queue = queue != nullptr ? *queue : std::string(),
                           .attempts = static_cast<int>(row.integer(4)),
                           .max_attempts = static_cast<int>(row.integer(5)),
                           .started_at = row.optional_time(6),
                           .first_started_at = row.optional_time(7),
                           .orphanings = static_cast<int>(row.integer(8)),
                           .node_name = row.text(9),
                           .node_lock_file = row.text(10),
                           .node_incarnation = row.text(11),
                           .death = row.text(12)});
    }
    return orphans;
}

bool is_live(Session& session, NodeId node) {
    Query row = session.query("SELECT 1 FROM node WHERE id = ? AND state = 0");
    row.bind_all(node);
    return row.step();
}

/// At once the first time in a row, then after 1 s * 2^n, at most an hour.
Duration orphan_delay(int orphanings) {
    if (orphanings <= 0) return Duration::zero();
    // As decide_orphan: 1 s * 2^n for the n-th orphaning in a row.
    const Duration delay = std::chrono::seconds(1) * (1 << std::min(orphanings + 1, 12));
    return std::min<Duration>(delay, std::chrono::hours(1));
}

RunReport plain_recovery(const Orphan& orphan) {
    RunReport report{.lease = orphan.lease};
    JobError why{.type = "jobhost::OrphanedJobError",
                 .types = {"jobhost::OrphanedJobError"},
                 .message = "job " + std::to_string(orphan.lease.job) + ": node " +
                            (orphan.node_name.empty() ? std::to_string(orphan.lease.node)
                                                      : orphan.node_name) +
                            " died during attempt " + std::to_string(orphan.attempts) + " of " +
                            std::to_string(orphan.max_attempts)};
    if (orphan.attempts < orphan.max_attempts) {
        report.next = Retry{
            .delay = orphan_delay(orphan.orphanings), .why = std::move(why), .orphaned = true};
    } else {
        report.next = Fail{.why = std::move(why), .reason = "orphaned"};
    }
    return report;
}

}  // namespace

std::string type_ids_json(Session& session, std::span<const std::string> types) {
    std::string json = "[";
    for (const std::string& type : types) {
        const auto id = session.names().find(NameKind::kType, type);
        if (!id) continue;
        if (json.size() > 1) json += ',';
        json += std::to_string(*id);
    }
    return json + "]";
}

std::vector<Orphan> SqlStore::list_orphans(std::span<const std::string> own_types, int limit) {
    session_.check_process();
    const std::string types = type_ids_json(session_, own_types);
    return session_.read([&] { return read_orphans(session_, types, limit); });
}

std::vector<WriteAnswer> SqlStore::resolve_orphans(NodeId self,
                                                   std::span<const RunReport> reports) {
    if (reports.empty()) return {};
    return session_.transact(Durability::kDurable, [&] {
        std::vector<WriteAnswer> answers;
        const bool may = is_live(session_, self);
        Transitions transitions(session_, self, session_.now());
        for (const RunReport& report : reports) {
            if (!may || is_live(session_, report.lease.node)) {
                answers.push_back({.outcome = WriteAnswer::Outcome::kLeaseLost});
                continue;
            }
            answers.push_back(transitions.apply_to_orphan(report));
        }
        return answers;
    });
}

int SqlStore::recover_orphans(std::span<const std::string> own_types, int limit) {
    const std::vector<Orphan> orphans = list_orphans(own_types, limit);
    if (orphans.empty()) return 0;
    return session_.transact(Durability::kDurable, [&] {
        int moved = 0;
        Transitions transitions(session_, 0, session_.now());
        for (const Orphan& orphan : orphans) {
            const WriteAnswer answer = transitions.apply_to_orphan(plain_recovery(orphan));
            if (answer.outcome == WriteAnswer::Outcome::kStored) ++moved;
        }
        return moved;
    });
}

}  // namespace jobhost::sql
