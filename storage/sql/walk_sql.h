#pragma once

#include <string_view>

namespace jobhost::sql {

// The statements that walk over many rows. Each must follow an index, with no sort and no scan of
// a whole table: the test of the plans reads them from here.

// ---- jobs, newest first: ?1 below this id, ?2 from this id on, ?3 how many ----------------------

inline constexpr std::string_view kJobsBelow =
    "SELECT id, lane, NULL FROM job WHERE id < ?1 AND id >= ?2 ORDER BY id DESC LIMIT ?3";
inline constexpr std::string_view kRunningBelow =
    "SELECT id, lane, 2 FROM running WHERE id < ?1 AND id >= ?2 ORDER BY id DESC LIMIT ?3";
inline constexpr std::string_view kDoneBelow =
    "SELECT id, NULL, state FROM done WHERE id < ?1 AND id >= ?2 ORDER BY id DESC LIMIT ?3";
inline constexpr std::string_view kDeadBelow =
    "SELECT id, lane, 5 FROM dead WHERE id < ?1 AND id >= ?2 ORDER BY id DESC LIMIT ?3";
/// The rare ends. SQLite uses the partial index only where the query repeats its condition.
inline constexpr std::string_view kDoneOfStateBelow =
    "SELECT id, NULL, state FROM done WHERE state = ?4 AND state <> 4 AND id < ?1 AND id >= ?2 "
    "ORDER BY id DESC LIMIT ?3";
inline constexpr std::string_view kTaggedBelow =
    "SELECT id, NULL, NULL FROM tag WHERE tag = ?4 AND id < ?1 AND id >= ?2 "
    "ORDER BY id DESC LIMIT ?3";
inline constexpr std::string_view kFaultyBelow =
    "SELECT id, NULL, NULL FROM (SELECT DISTINCT id FROM fault WHERE id < ?1 AND id >= ?2 "
    "ORDER BY id DESC LIMIT ?3) AS chosen";

// ---- the jobs that failed last: ?1 how many; with the last error of each
// -------------------------

inline constexpr std::string_view kFailures =
    "SELECT d.id, d.lane, d.failed_at, COALESCE(f.type, ''), "
    "COALESCE(substr(f.message, 1, 1000), ''), COALESCE(f.stack, '') "
    "FROM (SELECT id, lane, failed_at FROM dead ORDER BY failed_at DESC LIMIT ?1) AS d "
    "LEFT JOIN fault f ON f.id = d.id "
    "AND f.fence = (SELECT max(g.fence) FROM fault g WHERE g.id = d.id)";

// ---- waiting jobs, in the order of their lanes --------------------------------------------------

inline constexpr std::string_view kNextLane =
    "SELECT lane FROM pending WHERE lane > ?1 ORDER BY lane LIMIT 1";
inline constexpr std::string_view kLaneFrom =
    "SELECT run_at, id FROM pending WHERE lane = ?1 AND (run_at, id) > (?2, ?3) AND run_at <= ?4 "
    "ORDER BY run_at, id LIMIT ?5";
inline constexpr std::string_view kCountDue =
    "SELECT count(*) FROM (SELECT 1 FROM pending WHERE lane = ?1 AND run_at <= ?2 LIMIT ?3) AS due";
inline constexpr std::string_view kFirstFrom =
    "SELECT run_at FROM pending WHERE lane = ?1 AND run_at > ?2 ORDER BY run_at LIMIT 1";

// ---- dead-letter runs, newest first: ?1 below this run, ?2 state or NULL, ?3 how many -----------

inline constexpr std::string_view kDeadLetters =
    "SELECT run, id, type, kind, name, state, node, tries, created_at, started_at, finished_at, "
    "error FROM dead_letter "
    "WHERE run < ?1 AND (CAST(?2 AS BIGINT) IS NULL OR state = ?2) ORDER BY run DESC LIMIT ?3";
/// ?4: the job.
inline constexpr std::string_view kDeadLettersOfJob =
    "SELECT run, id, type, kind, name, state, node, tries, created_at, started_at, finished_at, "
    "error FROM dead_letter "
    "WHERE id = ?4 AND run < ?1 AND (CAST(?2 AS BIGINT) IS NULL OR state = ?2) ORDER BY run DESC "
    "LIMIT ?3";
/// Open runs are few and have an index; they are sorted.
inline constexpr std::string_view kOpenDeadLetters =
    "SELECT run, id, type, kind, name, state, node, tries, created_at, started_at, finished_at, "
    "error FROM dead_letter {by dead_letter_open} "
    "WHERE state < 2 AND run < ?1 AND state = ?2 ORDER BY run DESC LIMIT ?3";
inline constexpr std::string_view kOpenDeadLettersByType =
    "SELECT type, count(*) FROM dead_letter {by dead_letter_open} WHERE state < 2 "
    "GROUP BY type";

// ---- what the purge looks through ---------------------------------------------------------------

/// Jobs that ended before hour ?1 began were created before, so they have smaller ids.
inline constexpr std::string_view kPurgeBound =
    "SELECT first_id FROM tick WHERE hour > ?1 ORDER BY hour LIMIT 1";
inline constexpr std::string_view kPurgeDone =
    "SELECT id, state, finished_at, "
    "EXISTS (SELECT 1 FROM dead_letter l WHERE l.id = done.id AND l.state < 2) "
    "FROM done WHERE id > ?1 AND id < ?2 ORDER BY id LIMIT ?3";
inline constexpr std::string_view kPurgeDead =
    "SELECT id, failed_at, "
    "EXISTS (SELECT 1 FROM dead_letter l WHERE l.id = dead.id AND l.state < 2) "
    "FROM dead WHERE (failed_at, id) > (?1, ?2) AND failed_at < ?3 "
    "ORDER BY failed_at, id LIMIT ?4";
/// The key's job is live when it has its row but is at no end.
inline constexpr std::string_view kPurgeKeys =
    "SELECT at, type, key, "
    "i.state IS NULL AND EXISTS (SELECT 1 FROM job WHERE job.id = i.id) "
    "AND NOT EXISTS (SELECT 1 FROM done WHERE done.id = i.id) "
    "AND NOT EXISTS (SELECT 1 FROM dead WHERE dead.id = i.id) "
    "FROM idempotency i WHERE (at, type, key) > (?1, ?2, ?3) AND at < ?4 "
    "ORDER BY at, type, key LIMIT ?5";
inline constexpr std::string_view kPurgeStats =
    "DELETE FROM stat WHERE (minute, queue) IN "
    "(SELECT minute, queue FROM stat WHERE minute < ?1 ORDER BY minute, queue LIMIT ?2)";

}  // namespace jobhost::sql
