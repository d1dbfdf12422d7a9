#include <cstdint>
#include <optional>
#include <string>

#include "storage/sql/placed.h"
#include "storage/sql/sql_store.h"

namespace jobhost::sql {
namespace {

using Outcome = ControlAnswer::Outcome;

/// What is done again.
struct Ended {
    JobId job = 0;
    std::int64_t type = 0;
    DeadLetterKind kind = DeadLetterKind::kHandler;
    std::string name = {};
};

std::optional<Ended> find_run(Session& session, std::int64_t run) {
    Query row = session.query("SELECT id, type, kind, name FROM dead_letter WHERE run = ?");
    if (!row.bind(1, run).step()) return std::nullopt;
    return Ended{.job = row.integer(0),
                 .type = row.integer(1),
                 .kind = static_cast<DeadLetterKind>(row.integer(2)),
                 .name = row.text(3)};
}

/// The same handler or forwarder is owed to the job, or runs, already.
std::optional<std::int64_t> find_open(Session& session, const Ended& like) {
    Query row = session.query(
        "SELECT run FROM dead_letter WHERE id = ? AND kind = ? AND name = ? AND state < 2");
    if (!row.bind_all(like.job, static_cast<int>(like.kind), like.name).step()) return std::nullopt;
    return row.integer(0);
}

bool has_live_node(Session& session, const Ended& run) {
    Query row = session.query(
        "SELECT 1 FROM node_type t JOIN node n ON n.id = t.node "
        "WHERE n.state = 0 AND t.type = ? AND (t.has_handler = 1 OR ? = 1)");
    return row.bind_all(run.type, run.kind == DeadLetterKind::kForwarder ? 1 : 0).step();
}

RerunAnswer refused(std::string reason) {
    return {.outcome = Outcome::kRefused, .reason = std::move(reason)};
}

RerunAnswer rerun(Session& session, std::int64_t run, bool force) {
    const std::string name = "dead-letter run " + std::to_string(run);
    const std::optional<Ended> ended = find_run(session, run);
    if (!ended) return {.outcome = Outcome::kNotFound, .reason = "there is no " + name};
    if (const auto open = find_open(session, *ended)) {
        if (*open == run) return refused(name + " has not ended yet");
        return refused("dead-letter run " + std::to_string(*open) +
                       " of the same job does the same and has not ended yet");
    }
    const std::optional<Placed> placed = find_placed(session, ended->job);
    if (!placed) return refused("the job of " + name + " is broken: a part of it is missing");
    if (placed->state != JobState::kFailed && !force) {
        return refused("job " + std::to_string(ended->job) + " is not failed any more: it is " +
                       std::string(to_string(placed->state)));
    }
    session
        .query(
            "INSERT INTO dead_letter (id, fence, type, kind, name, state, node, tries, not_before, "
            "created_at) SELECT id, fence, type, kind, name, 0, 0, 0, ?2, ?2 "
            "FROM dead_letter WHERE run = ?1")
        .bind_all(run, session.now())
        .run();
    const std::optional<std::int64_t> made = find_open(session, *ended);
    session.announce_after_commit();
    return {.run = made.value_or(0), .has_live_node = has_live_node(session, *ended)};
}

}  // namespace

RerunAnswer SqlStore::rerun_dead_letter(std::int64_t run, bool force) {
    return session_.transact(Durability::kDurable, [&] { return rerun(session_, run, force); });
}

}  // namespace jobhost::sql
