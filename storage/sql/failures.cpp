#include <algorithm>
#include <map>
#include <utility>

#include "storage/sql/read_job.h"
#include "storage/sql/sql_store.h"
#include "storage/sql/walk_sql.h"

namespace jobhost::sql {
namespace {

constexpr int kMostLookedAt = 10'000;

void join(FailureGroup& group, JobId job, TimePoint failed_at, std::string_view message) {
    if (group.count == 0 || failed_at < group.first_at) group.first_at = failed_at;
    if (group.count == 0 || failed_at >= group.last_at) {
        group.last_at = failed_at;
        group.newest = job;
        group.message = message;
    }
    ++group.count;
}

}  // namespace

FailureGroups SqlStore::failure_groups(int look_at_most) {
    const int limit = std::clamp(look_at_most, 1, kMostLookedAt);
    return session_.read([&] {
        std::map<std::string, FailureGroup, std::less<>> by_id;
        FailureGroups found;
        Query row = session_.query(kFailures);
        row.bind_all(limit + 1);
        while (row.step()) {
            if (found.looked_at == limit) {
                found.more = true;
                break;
            }
            ++found.looked_at;
            const std::string type = shown_name(session_, type_of(row.integer(1)));
            std::string frame = top_frame(row.view(5));
            std::string id = failure_group_id(type, row.view(3), frame);
            FailureGroup& group = by_id[id];
            if (group.count == 0) {
                group.id = std::move(id);
                group.type = type;
                group.error = row.text(3);
                group.frame = std::move(frame);
            }
            join(group, row.integer(0), row.time(2), row.view(4));
        }
        for (auto& [id, group] : by_id) found.groups.push_back(std::move(group));
        std::ranges::stable_sort(found.groups, std::greater{}, &FailureGroup::count);
        return found;
    });
}

}  // namespace jobhost::sql
