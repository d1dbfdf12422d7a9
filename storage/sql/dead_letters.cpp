#include <algorithm>

#include "storage/sql/dead_letter_run.h"
#include "storage/sql/placed.h"
#include "storage/sql/sql_store.h"
#include "storage/stored_text.h"

namespace jobhost::sql {
namespace {

constexpr int kMostTries = 5;

/// How long a run that a dead node left waits for its next try: 10 s, 20 s, 40 s, 80 s. One that
/// never started did not kill its node.
Duration back_off(int tries) {
    if (tries == 0) return Duration(0);
    return std::chrono::seconds(10) * (1 << std::clamp(tries - 1, 0, 10));
}

/// The change was made by this node before, and its answer was lost.
bool is_repeat(Session& session, NodeId node, std::int64_t run, DeadLetterState wanted) {
    Query row = session.query("SELECT 1 FROM dead_letter WHERE run = ? AND node = ? AND state = ?");
    row.bind_all(run, node, static_cast<int>(wanted));
    return row.step();
}

/// A row of `run, id, type, kind, name`.
OwedRun read_owed(Session& session, const Query& row) {
    const std::string* type = session.names().text_of(row.integer(2));
    return {.run = row.integer(0),
            .job = row.integer(1),
            .type = type != nullptr ? *type : std::string(),
            .kind = static_cast<DeadLetterKind>(row.integer(3)),
            .name = row.text(4)};
}

void owe_again(Session& session, std::int64_t run, int tries) {
    session
        .query(
            "UPDATE dead_letter SET state = 0, node = 0, not_before = ?2, started_at = NULL "
            "WHERE run = ?1")
        .bind_all(run, later(session.now(), back_off(tries)))
        .run();
    session.announce_after_commit();
}

void interrupt(Session& session, std::int64_t run) {
    session
        .query(
            "UPDATE dead_letter SET state = 5, finished_at = ?2, error = 'the node died' "
            "WHERE run = ?1")
        .bind_all(run, session.now())
        .run();
}

}  // namespace

WriteAnswer start_dead_letter(Session& session, NodeId node, const StartDeadLetter& start,
                              TimePoint now) {
    const int changed =
        session
            .query(
                "UPDATE dead_letter SET state = 1, started_at = ?3, tries = tries + 1 "
                "WHERE run = ?1 AND node = ?2 AND state = 0")
            .bind_all(start.run, node, now)
            .run();
    if (changed == 1 || is_repeat(session, node, start.run, DeadLetterState::kStarted)) return {};
    return {.outcome = WriteAnswer::Outcome::kLeaseLost};
}

WriteAnswer finish_dead_letter(Session& session, NodeId node, const FinishDeadLetter& finish,
                               TimePoint now) {
    if (finish.state == DeadLetterState::kOwed || finish.state == DeadLetterState::kStarted) {
        return {
            .outcome = WriteAnswer::Outcome::kRefused,
            .reason = "a dead-letter run cannot end as " + std::string(to_string(finish.state))};
    }
    const bool from_owed = finish.state == DeadLetterState::kNotApplicable;
    const std::string error = storable_text(finish.error, kMaxErrorMessageBytes);
    const int changed =
        session
            .query(
                "UPDATE dead_letter SET state = ?3, finished_at = ?4, error = ?5 "
                "WHERE run = ?1 AND node = ?2 AND (state = 1 OR (state = 0 AND ?6 = 1))")
            .bind_all(finish.run, node, static_cast<int>(finish.state), now, error,
                      from_owed ? 1 : 0)
            .run();
    if (changed == 1 || is_repeat(session, node, finish.run, finish.state)) return {};
    return {.outcome = WriteAnswer::Outcome::kLeaseLost};
}

std::vector<OwedRun> SqlStore::adopt_dead_letters(NodeId node,
                                                  std::span<const std::string> own_types,
                                                  int limit) {
    const std::string types = type_ids_json(session_, own_types);
    // Mostly there is nothing: a look does not need the gate.
    const bool some = session_.read([&] {
        Query row =
            session_.query("SELECT 1 FROM dead_letter WHERE node = 0 AND state = 0 LIMIT 1");
        return row.step();
    });
    if (!some) return {};

    return session_.transact(Durability::kDurable, [&] {
        std::vector<OwedRun> adopted;
        {
            // A handler's run goes only to a node whose plugin has the handler.
            Query row = session_.query(
                "SELECT d.run, d.id, d.type, d.kind, d.name FROM dead_letter d "
                "WHERE d.node = 0 AND d.state = 0 AND d.not_before <= ?3 "
                "AND d.type IN {list ?2} "
                "AND EXISTS (SELECT 1 FROM node n WHERE n.id = ?1 AND n.state = 0) "
                "AND (d.kind <> 1 OR EXISTS (SELECT 1 FROM node_type t "
                "WHERE t.node = ?1 AND t.type = d.type AND t.has_handler = 1)) "
                "ORDER BY d.run LIMIT ?4");
            row.bind_all(node, types, session_.now(), limit);
            while (row.step()) adopted.push_back(read_owed(session_, row));
        }
        for (const OwedRun& owed : adopted) {
            session_.query("UPDATE dead_letter SET node = ? WHERE run = ?")
                .bind_all(node, owed.run)
                .run();
        }
        return adopted;
    });
}

std::vector<LeftRun> SqlStore::close_dead_letters(std::span<const std::string> own_types,
                                                  std::span<const std::string> at_least_once) {
    const std::string types = type_ids_json(session_, own_types);
    const std::string again = type_ids_json(session_, at_least_once);
    constexpr std::string_view kLeft =
        "SELECT d.run, d.id, d.type, d.kind, d.name, d.tries, "
        "d.type IN {list ?2} "
        "FROM dead_letter d LEFT JOIN node n ON n.id = d.node "
        "WHERE d.state < 2 AND d.node <> 0 AND (n.id IS NULL OR n.state <> 0) "
        "AND d.type IN {list ?1} ORDER BY d.run LIMIT 1000";
    const bool some = session_.read([&] {
        Query row = session_.query(kLeft);
        row.bind_all(types, again);
        return row.step();
    });
    if (!some) return {};

    return session_.transact(Durability::kDurable, [&] {
        std::vector<LeftRun> left;
        std::vector<int> tries;
        {
            Query row = session_.query(kLeft);
            row.bind_all(types, again);
            while (row.step()) {
                tries.push_back(static_cast<int>(row.integer(5)));
                left.push_back({.run = read_owed(session_, row),
                                .runs_again = row.integer(6) != 0 && tries.back() < kMostTries});
            }
        }
        for (std::size_t i = 0; i < left.size(); ++i) {
            if (left[i].runs_again) {
                owe_again(session_, left[i].run.run, tries[i]);
            } else {
                interrupt(session_, left[i].run.run);
            }
        }
        return left;
    });
}

}  // namespace jobhost::sql
