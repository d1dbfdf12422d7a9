#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "storage/sql/placed.h"
#include "storage/sql/purge_place.h"
#include "storage/sql/sql_store.h"
#include "storage/sql/walk_sql.h"

namespace jobhost::sql {
namespace {

constexpr std::int64_t kHour = 3'600'000'000;  // microseconds
constexpr std::int64_t kMinute = 60'000'000;
constexpr Duration kStatsKept = std::chrono::hours(24 * 32);

/// Rows that may be looked at for each one that may go: what stays costs less than what goes.
constexpr std::int64_t kLookedAtPerJob = 10;

constexpr int kMaxBatch = 10'000;

/// One batch, in one write transaction.
class PurgeBatch {
public:
    PurgeBatch(Session& session, const RetentionTimes& keep, std::int64_t batch, PurgePlace& place)
        : session_(session), keep_(keep), batch_(batch), place_(place), now_(session.now()) {}

    PurgeCount run() {
        purge_done();
        purge_dead();
        erase_rows(session_, erased_);
        purge_keys();
        purge_nodes();
        purge_stats();
        return count_;
    }

private:
    /// What ended before may go; nullopt: kept for ever.
    std::optional<std::int64_t> cutoff(Duration keep) const {
        if (keep <= Duration::zero()) return std::nullopt;
        const std::int64_t now = now_.time_since_epoch().count();
        return now > keep.count() ? now - keep.count() : 0;
    }

    std::optional<std::int64_t> cutoff(std::int64_t state) const {
        if (state == static_cast<int>(JobState::kSucceeded)) return cutoff(keep_.succeeded);
        if (state == static_cast<int>(JobState::kExpired)) return cutoff(keep_.expired);
        return cutoff(keep_.cancelled);
    }

    std::int64_t jobs_left() const { return batch_ - count_.jobs; }

    void erase(JobId id, std::string_view broken_row) {
        // A row without its job: nothing hangs on it.
        if (detach_job(session_, id, KeyFate::kKeptWithState)) {
            erased_.push_back(id);
        } else {
            session_.query(broken_row).bind(1, id).run();
        }
        ++count_.jobs;
    }

    /// Without it, a walk with nothing to purge would look at every job that ended.
    JobId first_id_too_young(std::int64_t latest_cutoff) {
        Query row = session_.query(kPurgeBound);
        row.bind(1, latest_cutoff / kHour);
        return row.step() ? row.integer(0) : std::numeric_limits<JobId>::max();
    }

    void purge_done() {
        std::optional<std::int64_t> latest;
        for (const Duration keep : {keep_.succeeded, keep_.expired, keep_.cancelled}) {
            if (const auto one = cutoff(keep)) latest = std::max(latest.value_or(0), *one);
        }
        if (!latest) return;

        std::vector<JobId> ended;
        bool more = false;
        {
            const std::int64_t look_at = batch_ * kLookedAtPerJob;
            std::int64_t looked_at = 0;
            Query row = session_.query(kPurgeDone);
            row.bind_all(place_.done, first_id_too_young(*latest), look_at);
            while (static_cast<std::int64_t>(ended.size()) < batch_ && row.step()) {
                ++looked_at;
                place_.done = row.integer(0);
                const std::optional<std::int64_t> before = cutoff(row.integer(1));
                const bool has_open_runs = row.integer(3) != 0;
                if (before && row.integer(2) < *before && !has_open_runs) {
                    ended.push_back(place_.done);
                }
            }
            more = static_cast<std::int64_t>(ended.size()) == batch_ || looked_at == look_at;
        }
        for (const JobId id : ended) erase(id, "DELETE FROM done WHERE id = ?");
        if (more) count_.more = true;
        if (!more) place_.done = 0;
    }

    void purge_dead() {
        const std::optional<std::int64_t> before = cutoff(keep_.failed);
        if (!before) return;
        if (jobs_left() == 0) {
            count_.more = true;
            return;
        }

        std::vector<JobId> ended;
        bool more = false;
        {
            const std::int64_t look_at = jobs_left() * kLookedAtPerJob;
            std::int64_t looked_at = 0;
            Query row = session_.query(kPurgeDead);
            row.bind_all(place_.dead_time, place_.dead, *before, look_at);
            while (static_cast<std::int64_t>(ended.size()) < jobs_left() && row.step()) {
                ++looked_at;
                place_.dead = row.integer(0);
                place_.dead_time = row.integer(1);
                const bool has_open_runs = row.integer(2) != 0;
                if (!has_open_runs) ended.push_back(place_.dead);
            }
            more = static_cast<std::int64_t>(ended.size()) == jobs_left() || looked_at == look_at;
        }
        for (const JobId id : ended) erase(id, "DELETE FROM dead WHERE id = ?");
        if (more) {
            count_.more = true;
        } else {
            place_.dead_time = PurgePlace::kStart;
            place_.dead = 0;
        }
    }

    void purge_keys() {
        struct Key {
            std::int64_t type = 0;
            std::string text = {};
        };
        const std::optional<std::int64_t> before = cutoff(keep_.keys);
        if (!before) return;

        std::vector<Key> old;
        std::int64_t looked_at = 0;
        {
            const PurgePlace from = place_;  // the query reads it while place_ moves
            Query row = session_.query(kPurgeKeys);
            row.bind_all(from.key_time, from.key_type, from.key, *before, batch_);
            while (row.step()) {
                ++looked_at;
                place_.key_time = row.integer(0);
                place_.key_type = row.integer(1);
                place_.key = row.text(2);
                const bool job_is_live = row.integer(3) != 0;
                if (!job_is_live) old.push_back({place_.key_type, place_.key});
            }
        }
        for (const Key& key : old) {
            session_.query("DELETE FROM idempotency WHERE type = ? AND key = ?")
                .bind_all(key.type, key.text)
                .run();
        }
        count_.keys = static_cast<std::int64_t>(old.size());
        if (looked_at == batch_) {
            count_.more = true;
        } else {
            place_.key_time = PurgePlace::kStart;
            place_.key_type = 0;
            place_.key.clear();
        }
    }

    /// Nodes are few, and so are the jobs that run.
    void purge_nodes() {
        std::vector<NodeId> unnamed;
        {
            Query row = session_.query(
                "SELECT id FROM node WHERE state <> 0 "
                "AND id NOT IN (SELECT node FROM running) "
                "AND NOT EXISTS (SELECT 1 FROM dead_letter {by dead_letter_open} "
                "WHERE dead_letter.node = node.id AND dead_letter.state < 2) LIMIT ?");
            row.bind(1, batch_);
            while (row.step()) unnamed.push_back(row.integer(0));
        }
        for (const NodeId node : unnamed) {
            session_.query("DELETE FROM request WHERE node = ?").bind(1, node).run();
            session_.query("DELETE FROM node_type WHERE node = ?").bind(1, node).run();
            session_.query("DELETE FROM node WHERE id = ?").bind(1, node).run();
        }
        count_.nodes = static_cast<std::int64_t>(unnamed.size());
        if (count_.nodes == batch_) count_.more = true;
    }

    void purge_stats() {
        const auto before = cutoff(kStatsKept);
        const int removed =
            session_.query(kPurgeStats).bind_all(before.value_or(0) / kMinute, batch_).run();
        if (removed == batch_) count_.more = true;
    }

    Session& session_;
    const RetentionTimes& keep_;
    const std::int64_t batch_;
    PurgePlace& place_;
    const TimePoint now_;
    PurgeCount count_;
    std::vector<JobId> erased_;
};

}  // namespace

PurgeCount SqlStore::purge(const RetentionTimes& keep, int batch) {
    // The place moves only when the batch was stored.
    PurgePlace place;
    const PurgeCount count = session_.transact(Durability::kFast, [&] {
        place = purge_place_;
        return PurgeBatch(session_, keep, std::clamp(batch, 1, kMaxBatch), place).run();
    });
    purge_place_ = place;
    return count;
}

}  // namespace jobhost::sql
