#include "storage/sql/run_record.h"

#include <algorithm>

#include "storage/sql/placed.h"
#include "storage/stored_text.h"

namespace jobhost::sql {
namespace {

constexpr std::size_t kMaxTypeBytes = 1024;
constexpr std::size_t kMaxTypes = 64;
constexpr std::size_t kMaxTypesBytes = 8 * 1024;

std::string storable_types(const JobError& error) {
    std::vector<std::string> types;
    std::size_t bytes = 0;
    for (const std::string& type : error.types) {
        types.push_back(storable_text(type, kMaxTypeBytes));
        bytes += types.back().size() + 1;
        if (bytes > kMaxTypesBytes || types.size() > kMaxTypes) {
            types.pop_back();
            break;
        }
    }
    return join_lines(types);
}

/// The fence of the newest error that has to go; -1: none.
std::int64_t newest_to_drop(Session& session, JobId id) {
    Query row = session.query(
        "SELECT fence, {bytes type} + {bytes types} + "
        "{bytes message} + {bytes stack} FROM fault WHERE id = ? "
        "ORDER BY fence DESC");
    row.bind_all(id);
    std::size_t count = 0;
    std::int64_t bytes = 0;
    while (row.step()) {
        bytes += row.integer(1);
        if (++count > kMaxErrorsOfJob || bytes > static_cast<std::int64_t>(kMaxErrorBytesOfJob)) {
            return row.integer(0);
        }
    }
    return -1;
}

}  // namespace

void add_error(Session& session, JobId id, std::int64_t fence, int attempt, const JobError& error,
               TimePoint now) {
    const std::string type = storable_text(error.type, kMaxTypeBytes);
    const std::string types = storable_types(error);
    const std::string message = storable_text(error.message, kMaxErrorMessageBytes);
    const std::string stack = storable_text(error.stack_trace, kMaxStackBytes);
    session
        .query(
            "INSERT INTO fault (id, fence, attempt, at, type, types, message, stack) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id, fence) DO UPDATE SET "
            "attempt = excluded.attempt, at = excluded.at, type = excluded.type, "
            "types = excluded.types, message = excluded.message, stack = excluded.stack")
        .bind_all(id, fence, attempt, now, type, types, message, stack)
        .run();
    // Two errors of full size fit, so the first claims need no look.
    if (fence <= 2) return;
    const std::int64_t drop = newest_to_drop(session, id);
    if (drop < 0) return;
    session.query("DELETE FROM fault WHERE id = ? AND fence <= ?").bind_all(id, drop).run();
}

void add_log(Session& session, JobId id, std::span<const LogLine> lines) {
    if (lines.empty()) return;
    std::int64_t line = 0;
    {
        Query last = session.query("SELECT max(line) FROM log WHERE id = ?");
        last.bind_all(id);
        if (last.step()) line = last.integer(0);
    }
    if (lines.size() > kMaxLogLines) lines = lines.last(kMaxLogLines);
    {
        Query insert =
            session.query("INSERT INTO log (id, line, at, level, text) VALUES (?, ?, ?, ?, ?)");
        for (const LogLine& entry : lines) {
            const std::string text = storable_text(entry.text, kMaxLineBytes);
            const int level = static_cast<int>(entry.level);
            insert.bind_all(id, ++line, entry.at, level, text).run();
        }
    }
    const auto kept = static_cast<std::int64_t>(kMaxLogLines);
    if (line <= kept) return;
    session.query("DELETE FROM log WHERE id = ? AND line <= ?").bind_all(id, line - kept).run();
}

void set_progress(Session& session, JobId id, std::optional<int> percent,
                  const std::optional<std::string>& text, TimePoint now) {
    if (!percent && !text) return;
    if (percent) percent = std::clamp(*percent, 0, 100);
    std::optional<std::string> storable;
    if (text) storable = storable_text(*text, kMaxLineBytes);
    session
        .query(
            "INSERT INTO progress (id, at, percent, text) VALUES (?1, ?2, ?3, coalesce(?4, '')) "
            "ON CONFLICT (id) DO UPDATE SET at = ?2, percent = coalesce(?3, progress.percent), "
            "text = coalesce(?4, progress.text)")
        .bind_all(id, now, percent, storable)
        .run();
}

void set_checkpoint(Session& session, JobId id, const std::string& json, TimePoint now) {
    if (json.empty()) {
        session.query("DELETE FROM checkpoint WHERE id = ?").bind_all(id).run();
        return;
    }
    session
        .query(
            "INSERT INTO checkpoint (id, at, body) VALUES (?, ?, ?) ON CONFLICT (id) "
            "DO UPDATE SET at = excluded.at, body = excluded.body")
        .bind_all(id, now, json)
        .run();
}

}  // namespace jobhost::sql
