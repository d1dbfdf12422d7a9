#include <algorithm>

#include "tests/bench/benchmarks.h"
#include "tests/bench/fill.h"
#include "tests/bench/suite_types.h"

namespace jobhost::bench {
namespace {

constexpr int kWorkers = 10;
constexpr int kRuns = 3;  // of which the middle one counts

std::string words(std::int64_t count) {
    if (count >= 1'000'000) return std::to_string(count / 1'000'000) + " M";
    if (count >= 1'000) return std::to_string(count / 1'000) + " k";
    return std::to_string(count);
}

/// Microseconds for each job, beside so many rows.
double cost(const Subject& subject, RowsOf what, std::int64_t rows, int jobs) {
    const FreshStore store(subject);
    fill(store.options(), *store, what, rows);
    const SharedBoard board;
    const JobTypes types = suite_types(*board);
    std::vector<double> us;
    for (int i = 0; i < kRuns; ++i) {
        // Those that wait already are taken first; a store that has none of them needs new ones.
        if (what == RowsOf::kFinished || rows < std::int64_t{jobs} * kRuns * 2) {
            enqueue_in_bulk(*store, {}, jobs, never);
        }
        us.push_back(run_here(*store, types, *board, kWorkers, jobs, never) * 1e6 / jobs);
    }
    std::ranges::sort(us);
    return us[kRuns / 2];
}

void measure(Subject& subject, RowsOf what, const std::string& name, const std::string& title) {
    const int jobs = subject.scaled(100'000);
    double empty = 0;
    for (const int count : {0, 10'000, 100'000, 1'000'000, 10'000'000}) {
        const std::int64_t rows = count == 0 ? 0 : subject.scaled(count);
        Row row{.name = name + "_" + std::to_string(rows),
                .title = "cost of a run beside " + words(rows) + " " + title,
                .unit = "us/job",
                .value = cost(subject, what, rows, jobs),
                .less_is_better = true};
        // In the place of the engine's: how it compares with the empty store.
        if (count == 0) empty = row.value;
        row.bare = empty;
        subject.add(std::move(row));
    }
}

}  // namespace

void finished_rows(Subject& subject) {
    measure(subject, RowsOf::kFinished, "finished", "finished jobs");
}

void waiting_rows(Subject& subject) {
    measure(subject, RowsOf::kWaiting, "waiting", "waiting jobs");
}

}  // namespace jobhost::bench
