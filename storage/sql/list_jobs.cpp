#include <algorithm>
#include <limits>

#include "storage/sql/job_search.h"
#include "storage/sql/read_job.h"
#include "storage/sql/sql_store.h"

namespace jobhost::sql {
namespace {

constexpr int kMaxPage = 1000;

/// Searches of one count: each has its own snapshot, so that a long count holds none.
constexpr int kCountSearches = 50;

bool is_kept_count(const JobFilter& filter) {
    const auto splits_waiting = [](JobState state) {
        return state == JobState::kScheduled || state == JobState::kEnqueued;
    };
    const auto waiting = std::ranges::count_if(filter.states, splits_waiting);
    return filter.tag.empty() && filter.error.empty() && filter.group.empty() && !filter.since &&
           waiting != 1;
}

std::int64_t kept_count(const TypeCounts& counts, const JobFilter& filter) {
    const auto wants = [&](JobState state) {
        return filter.states.empty() ||
               std::ranges::find(filter.states, state) != filter.states.end();
    };
    std::int64_t sum = 0;
    if (wants(JobState::kEnqueued)) sum += counts.waiting;
    if (wants(JobState::kProcessing)) sum += counts.processing;
    if (wants(JobState::kSucceeded)) sum += counts.succeeded;
    if (wants(JobState::kFailed)) sum += counts.failed;
    if (wants(JobState::kExpired)) sum += counts.expired;
    if (wants(JobState::kCancelled)) sum += counts.cancelled;
    return sum;
}

}  // namespace

JobPage SqlStore::list_jobs(const JobFilter& filter, int limit, const std::string& after) {
    const auto want = static_cast<std::size_t>(std::clamp(limit, 1, kMaxPage));
    return session_.read([&] {
        FoundJobs found = search_jobs(session_, filter, want, after);
        JobPage page{.next = std::move(found.next)};
        for (const JobId id : found.ids) {
            if (auto job = read_job(session_, id, Detail::kListed)) {
                page.jobs.push_back(*std::move(job));
            }
        }
        return page;
    });
}

std::int64_t SqlStore::count_jobs(const JobFilter& filter, std::int64_t cap) {
    std::int64_t count = 0;
    if (is_kept_count(filter)) {
        for (const TypeCounts& one : type_counts()) {
            const bool counts = (filter.queue.empty() || filter.queue == one.queue) &&
                                (filter.type.empty() || filter.type == one.type);
            if (counts) count += kept_count(one, filter);
        }
        return std::clamp(count, std::int64_t{0}, cap);
    }
    std::string after;
    for (int searches = 0; searches < kCountSearches && count < cap; ++searches) {
        const auto want = static_cast<std::size_t>(cap - count);
        const FoundJobs found =
            session_.read([&] { return search_jobs(session_, filter, want, after); });
        count += static_cast<std::int64_t>(found.ids.size());
        if (found.next.empty()) break;
        after = found.next;
    }
    return std::min(count, cap);
}

}  // namespace jobhost::sql
