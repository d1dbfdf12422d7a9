#include <algorithm>
#include <thread>

#include "tests/bench/benchmarks.h"
#include "tests/bench/suite_types.h"

namespace jobhost::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kWorkers = 10;

double seconds_since(std::int64_t start) {
    return static_cast<double>(steady_now() - start) / 1e9;
}

template <class Condition>
void wait_for(const Condition& is_so) {
    while (!is_so()) std::this_thread::sleep_for(500us);
}

}  // namespace

void retries(Subject& subject) {
    const int jobs = subject.scaled(30'000);
    const FreshStore store(subject);
    enqueue_in_bulk(*store, {.type = kFlaky}, jobs, never);
    const SharedBoard board;
    const JobTypes types = suite_types(*board);
    const double seconds = run_here(*store, types, *board, kWorkers, jobs, never);
    subject.add({.name = "flaky",
                 .title = "jobs that fail twice, with two retries",
                 .unit = "runs/s",
                 .value = 3 * jobs / seconds});
}

void dead_letters(Subject& subject) {
    const int jobs = subject.scaled(20'000);
    const FreshStore store(subject);
    enqueue_in_bulk(*store, {.type = kDoomed, .max_attempts = 1}, jobs, never);
    const SharedBoard board;
    const JobTypes types = suite_types(*board);
    const SystemClock clock;
    CountEnds events(*board);
    const std::int64_t start = steady_now();
    Engine engine(node_settings(kWorkers), *store, types, clock, events);
    wait_for([&] { return board->ended.load() >= jobs; });
    const double failed = seconds_since(start);
    wait_for([&] { return board->handled.load() >= jobs; });
    const double handled = seconds_since(start);
    engine.stop();
    subject.add({.name = "failed",
                 .title = "jobs that fail for good",
                 .unit = "jobs/s",
                 .value = jobs / failed});
    subject.add({.name = "handled",
                 .title = "the same, until their handlers were called",
                 .unit = "jobs/s",
                 .value = jobs / handled});
}

void after_kill(Subject& subject) {
    std::vector<double> ms;
    for (int run = 0; run < 5; ++run) {
        const FreshStore store(subject);
        const auto session = store->open_session();
        const SharedBoard board;
        board->go = true;
        NodeProcess first(store.options(), kWorkers, board);
        std::vector<NewJob> jobs;
        for (int i = 0; i < kWorkers; ++i) {
            jobs.push_back({.type = kHold, .input = std::to_string(i), .source = "bench"});
        }
        enqueue(*session, jobs);
        const auto all_started = [&](int from) {
            return std::all_of(board->started_at + from, board->started_at + from + kWorkers,
                               [](const auto& at) { return at.load() != 0; });
        };
        wait_for([&] { return all_started(0); });
        NodeProcess second(store.options(), kWorkers, board);
        wait_for([&] { return board->working.load() == 2; });
        std::this_thread::sleep_for(1s);  // its watcher has seen the first one alive
        const std::int64_t killed = steady_now();
        first.kill();
        wait_for([&] { return all_started(kSecondAttempt); });
        ms.push_back(seconds_since(killed) * 1000);
        second.kill();  // the jobs would hold up an orderly end
    }
    std::ranges::sort(ms);
    subject.add({.name = "after_kill_median",
                 .title = "SIGKILL until all 10 jobs run again, median of 5",
                 .unit = "ms",
                 .value = ms[ms.size() / 2],
                 .less_is_better = true});
    subject.add({.name = "after_kill_max",
                 .title = "the same, the longest",
                 .unit = "ms",
                 .value = ms.back(),
                 .less_is_better = true});
}

}  // namespace jobhost::bench
