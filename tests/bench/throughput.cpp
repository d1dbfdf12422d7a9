#include <cstdio>

#include "host/plugin/plugin_set.h"
#include "tests/bench/benchmarks.h"
#include "tests/bench/suite_types.h"

namespace jobhost::bench {
namespace {

constexpr int kWorkers = 10;

Row rate(const std::string& name, const std::string& title, double per_second) {
    return {.name = name, .title = title, .unit = "jobs/s", .value = per_second};
}

/// Jobs of one shape, stored and then run in this process.
double seconds_of_run(const Subject& subject, const JobShape& shape, int jobs, int workers) {
    const FreshStore store(subject);
    enqueue_in_bulk(*store, shape, jobs, never);
    const SharedBoard board;
    const JobTypes types = suite_types(*board);
    return run_here(*store, types, *board, workers, jobs, never);
}

}  // namespace

void main_figures(Subject& subject) {
    BenchmarkOptions options{.jobs = subject.scaled(300'000), .samples = subject.scaled(2'000)};
    for (Row& row : run_benchmark(subject.beside(), options).rows) subject.add(std::move(row));
}

void many_nodes(Subject& subject) {
    const int jobs = subject.scaled(300'000);
    for (const int nodes : {1, 2, 4}) {
        const FreshStore store(subject);
        enqueue_in_bulk(*store, {}, jobs, never);
        const SharedBoard board;
        const double seconds =
            run_in_processes(store.options(), board, nodes, kWorkers, jobs, never);
        const std::string count = std::to_string(nodes);
        subject.add(rate("run_nodes_" + count, "run by " + count + " processes", jobs / seconds));
    }
}

void with_plugin(Subject& subject) {
    PluginOptions options;
    options.load.push_back({.path = JOBHOST_PLUGINS "/reliability.so"});
    options.allow_insecure = true;
    options.probe = std::nullopt;
    auto plugins = load_plugins(options);
    if (!plugins) {
        std::fprintf(stderr, "%s\n", plugins.error().front().c_str());
        return;
    }
    const int jobs = subject.scaled(300'000);
    const FreshStore store(subject);
    enqueue_in_bulk(*store, {.type = "demo.noop"}, jobs, never);
    const SharedBoard board;
    const double seconds = run_here(*store, plugins->types(), *board, kWorkers, jobs, never);
    subject.add(rate("run_plugin", "run, no-op of a plugin", jobs / seconds));
}

void durations(Subject& subject) {
    const struct {
        const char* title;
        int us;
        int jobs;
        int workers;
    } shapes[] = {{"1 us", 1, subject.scaled(200'000), 10},
                  {"1 ms", 1'000, subject.scaled(30'000), 10},
                  {"100 ms", 100'000, subject.scaled(1'000), 50}};
    for (const auto& [title, us, jobs, workers] : shapes) {
        const JobShape shape{.type = kWork, .input = std::to_string(us)};
        Row row =
            rate("run_" + std::to_string(us) + "_us",
                 std::string("jobs of ") + title + ", " + std::to_string(workers) + " workers",
                 jobs / seconds_of_run(subject, shape, jobs, workers));
        // What so many workers could do at most; the shortest jobs are bound by the store.
        if (us >= 1'000) row.bare = workers * 1e6 / us;
        subject.add(std::move(row));
    }
}

void payloads(Subject& subject) {
    const struct {
        const char* name;
        int bytes;
        int jobs;
    } shapes[] = {{"100 B", 100, subject.scaled(100'000)},
                  {"10 KiB", 10'240, subject.scaled(20'000)},
                  {"1 MiB", 1'048'576, subject.scaled(200)}};
    for (const auto& [name, bytes, jobs] : shapes) {
        const JobShape shape{.input =
                                 '"' + std::string(static_cast<std::size_t>(bytes) - 2, 'x') + '"'};
        // Groups of 1000 would be a gigabyte.
        const int group = bytes > 100'000 ? 10 : kGroup;
        const FreshStore store(subject);
        const ScratchStore beside(subject.beside());
        const auto bare = open_bare_queue(beside.options());
        const SharedBoard board;
        const JobTypes types = suite_types(*board);
        double stored = 0;
        double stored_bare = 0;
        for (int done = 0; done < jobs; done += group) {
            stored += enqueue_in_bulk(*store, shape, group, never);
            stored_bare += enqueue_in_bulk(*bare, shape, group, never);
        }
        const double ran = run_here(*store, types, *board, kWorkers, jobs, never);
        const double ran_bare = run(*bare, jobs, never);
        Row enqueue = rate("enqueue_" + std::to_string(bytes),
                           std::string("bulk enqueue, payload ") + name, jobs / stored);
        enqueue.bare = jobs / stored_bare;
        subject.add(std::move(enqueue));
        Row work =
            rate("run_" + std::to_string(bytes), std::string("run, payload ") + name, jobs / ran);
        work.bare = jobs / ran_bare;
        subject.add(std::move(work));
    }
}

}  // namespace jobhost::bench
