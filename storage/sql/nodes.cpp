#include "storage/sql/placed.h"
#include "storage/sql/sql_store.h"
#include "storage/sql/transitions.h"
#include "storage/stored_text.h"

namespace jobhost::sql {
namespace {

constexpr int kLive = static_cast<int>(NodeState::kLive);
constexpr int kDead = static_cast<int>(NodeState::kDead);
constexpr int kStopped = static_cast<int>(NodeState::kStopped);
static_assert(kLive == 0 && kDead == 1 && kStopped == 2);  // as in the tables

NodeId take_node_id(Session& session) {
    Query row = session.query("UPDATE seq SET next = next + 1 WHERE name = 2 RETURNING next - 1");
    if (!row.step()) {
        throw StorageError(StorageError::Kind::kCorrupt, "the row of `seq` for nodes is gone");
    }
    const NodeId id = row.integer(0);
    row.step();  // to its end
    return id;
}

std::string storable(const std::string& text) {
    return storable_text(text, kMaxLineBytes);
}

std::vector<NodeType> types_of(Session& session, NodeId node) {
    std::vector<NodeType> types;
    Query row = session.query("SELECT type, has_handler FROM node_type WHERE node = ?");
    row.bind_all(node);
    while (row.step()) {
        const std::string* name = session.names().text_of(row.integer(0));
        if (name != nullptr) types.push_back({.name = *name, .has_handler = row.integer(1) != 0});
    }
    return types;
}

NodeRegistration read_registration(const Query& row) {
    return {.incarnation = row.text(1),
            .name = row.text(2),
            .service = row.text(3),
            .host = row.text(4),
            .version = row.text(5),
            .pid = row.integer(6),
            .beat_interval = Duration(row.integer(7)),
            .beat_timeout = Duration(row.integer(8)),
            .lock_file = row.text(9),
            .lock_inode = row.integer(10),
            .queues = split_lines(row.view(11)),
            .plugins = split_lines(row.view(12))};
}

std::vector<Lease> read_leases(Session& session, NodeId node) {
    std::vector<Lease> leases;
    Query row = session.query("SELECT id, fence, lane FROM running WHERE node = ? ORDER BY id");
    row.bind_all(node);
    while (row.step()) {
        leases.push_back({.job = row.integer(0),
                          .node = node,
                          .fence = row.integer(1),
                          .token = row.integer(2)});
    }
    return leases;
}

NodeState node_state(std::int64_t number) {
    if (number == kLive) return NodeState::kLive;
    return number == kStopped ? NodeState::kStopped : NodeState::kDead;
}

}  // namespace

NodeId SqlStore::register_node(const NodeRegistration& registration) {
    return session_.transact(Durability::kDurable, [&] {
        const NodeId node = take_node_id(session_);
        const TimePoint at = session_.now();
        const std::string name = storable(registration.name);
        const std::string service = storable(registration.service);
        const std::string host = storable(registration.host);
        const std::string version = storable(registration.version);
        const std::string queues = join_lines(registration.queues);
        const std::string plugins = storable_text(join_lines(registration.plugins), 64 * 1024);
        session_
            .query(
                "INSERT INTO node (id, incarnation, name, service, host, version, pid, state, "
                "beats, beat_interval, beat_timeout, started_at, beat_at, lock_file, "
                "lock_inode, queues, plugins) "
                "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, 0, ?8, ?9, ?10, ?10, ?11, ?12, ?13, ?14)")
            .bind_all(node, registration.incarnation, name, service, host, version,
                      registration.pid, registration.beat_interval, registration.beat_timeout, at,
                      registration.lock_file, registration.lock_inode, queues, plugins)
            .run();
        for (const NodeType& type : registration.types) {
            const std::int64_t id = session_.names().id_of(NameKind::kType, type.name);
            session_
                .query(
                    "INSERT INTO node_type (node, type, has_handler) VALUES (?, ?, ?) "
                    "ON CONFLICT (node, type) DO UPDATE SET has_handler = excluded.has_handler")
                .bind_all(node, id, type.has_handler ? 1 : 0)
                .run();
        }
        return node;
    });
}

void SqlStore::set_queues(NodeId node, std::span<const std::string> queues) {
    const std::string lines = join_lines({queues.begin(), queues.end()});
    session_.transact(Durability::kFast, [&] {
        session_.query("UPDATE node SET queues = ?2 WHERE id = ?1 AND state = 0")
            .bind_all(node, lines)
            .run();
    });
}

bool SqlStore::beat(NodeId node) {
    return session_.transact(Durability::kFast, [&] {
        return session_
                   .query(
                       "UPDATE node SET beats = beats + 1, beat_at = ?2 "
                       "WHERE id = ?1 AND state = 0")
                   .bind_all(node, session_.now())
                   .run() == 1;
    });
}

std::vector<Node> SqlStore::nodes() {
    return session_.read([&] {
        std::vector<Node> nodes;
        {
            Query row = session_.query(
                "SELECT id, incarnation, name, service, host, version, pid, beat_interval, "
                "beat_timeout, lock_file, lock_inode, queues, plugins, state, beats, started_at, "
                "beat_at, death, coalesce(r.processing, 0) FROM node LEFT JOIN (SELECT node, "
                "count(*) AS processing FROM running GROUP BY node) r ON r.node = node.id "
                "ORDER BY id");
            while (row.step()) {
                nodes.push_back({.id = row.integer(0),
                                 .registration = read_registration(row),
                                 .state = node_state(row.integer(13)),
                                 .beats = row.integer(14),
                                 .started_at = row.time(15),
                                 .beat_at = row.time(16),
                                 .death = row.text(17),
                                 .processing = row.integer(18)});
            }
        }
        for (Node& node : nodes) node.registration.types = types_of(session_, node.id);
        return nodes;
    });
}

bool SqlStore::declare_dead(NodeId node, std::int64_t beats_seen, const std::string& how) {
    const std::string death = storable(how);
    return session_.transact(Durability::kDurable, [&] {
        const bool marked = session_
                                .query(
                                    "UPDATE node SET state = 1, death = ?3 "
                                    "WHERE id = ?1 AND state = 0 AND beats = ?2")
                                .bind_all(node, beats_seen, death)
                                .run() == 1;
        if (marked) session_.announce_after_commit();
        return marked;
    });
}

std::vector<Lease> SqlStore::leases_of(NodeId node) {
    return session_.read([&] { return read_leases(session_, node); });
}

void SqlStore::leave(NodeId node, std::span<const std::string> at_least_once) {
    const std::string again = type_ids_json(session_, at_least_once);
    session_.transact(Durability::kDurable, [&] {
        const int left = session_.query("UPDATE node SET state = 2 WHERE id = ? AND state = 0")
                             .bind_all(node)
                             .run();
        if (left == 0) return;  // declared dead meanwhile: others answer for its jobs
        {
            Transitions transitions(session_, node, session_.now());
            for (const Lease& lease : read_leases(session_, node)) {
                transitions.apply(RunReport{.lease = lease, .next = Release{}});
            }
        }
        session_.query("UPDATE dead_letter SET node = 0 WHERE node = ? AND state = 0")
            .bind_all(node)
            .run();
        session_
            .query(
                "UPDATE dead_letter SET state = 5, finished_at = ?2, "
                "error = 'the node stopped' WHERE node = ?1 AND state = 1 "
                "AND type NOT IN {list ?3}")
            .bind_all(node, session_.now(), again)
            .run();
        session_.query("DELETE FROM request WHERE node = ?").bind_all(node).run();
        session_.announce_after_commit();
    });
}

}  // namespace jobhost::sql
