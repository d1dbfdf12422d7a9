#include "storage/sql/requests.h"

#include <algorithm>

#include "storage/sql/sql_store.h"
#include "storage/stored_text.h"

namespace jobhost::sql {
namespace {

constexpr std::size_t kMaxByBytes = 256;
constexpr std::size_t kMaxAnswerBytes = 1024 * 1024;
constexpr Duration kKeepAnswers = std::chrono::minutes(10);

}  // namespace

std::vector<NodeRequest> take_requests(Session& session, NodeId node) {
    std::vector<NodeRequest> requests;
    {
        // In one step: one that comes in between must not be removed unseen.
        Query row = session.query(
            "DELETE FROM request WHERE node = ? RETURNING id, kind, job, fence, by, argument");
        row.bind_all(node);
        while (row.step()) {
            requests.push_back({.id = row.integer(0),
                                .kind = static_cast<NodeRequest::Kind>(row.integer(1)),
                                .job = row.integer(2),
                                .fence = row.integer(3),
                                .argument = row.text(5),
                                .by = row.text(4)});
        }
    }
    std::ranges::sort(requests, {}, &NodeRequest::id);
    return requests;
}

std::optional<std::int64_t> SqlStore::ask_node(NodeId node, NodeRequest::Kind kind,
                                               const std::string& argument, const std::string& by) {
    const std::string who = by.substr(0, kMaxByBytes);
    return session_.transact(Durability::kDurable, [&]() -> std::optional<std::int64_t> {
        Query asked = session_.query(
            "INSERT INTO request (node, kind, job, fence, by, at, argument) "
            "SELECT id, ?2, 0, 0, ?3, ?4, ?5 FROM node WHERE id = ?1 AND state = 0 RETURNING id");
        asked.bind_all(node, static_cast<int>(kind), who, session_.now(), argument);
        if (!asked.step()) return std::nullopt;
        const std::int64_t request = asked.integer(0);
        asked.step();  // to its end
        session_.announce_after_commit();
        return request;
    });
}

std::optional<RequestAnswer> SqlStore::take_answer(std::int64_t request) {
    const bool is_there = session_.read([&] {
        Query row = session_.query("SELECT 1 FROM answer WHERE request = ?");
        return row.bind(1, request).step();
    });
    if (!is_there) return std::nullopt;
    return session_.transact(Durability::kDurable, [&]() -> std::optional<RequestAnswer> {
        Query taken = session_.query("DELETE FROM answer WHERE request = ? RETURNING ok, body");
        if (!taken.bind(1, request).step()) return std::nullopt;
        RequestAnswer answer{.ok = taken.integer(0) != 0, .body = taken.text(1)};
        taken.step();  // to its end
        return answer;
    });
}

void SqlStore::answer_request(std::int64_t request, const RequestAnswer& answer) {
    const std::string body = storable_text(answer.body, kMaxAnswerBytes);
    session_.transact(Durability::kDurable, [&] {
        const TimePoint now = session_.now();
        session_.query("DELETE FROM answer WHERE at < ?").bind_all(now - kKeepAnswers).run();
        session_
            .query(
                "INSERT INTO answer (request, at, ok, body) VALUES (?, ?, ?, ?) ON CONFLICT "
                "(request) "
                "DO UPDATE SET at = excluded.at, ok = excluded.ok, body = excluded.body")
            .bind_all(request, now, answer.ok ? 1 : 0, body)
            .run();
        session_.announce_after_commit();
    });
}

}  // namespace jobhost::sql
