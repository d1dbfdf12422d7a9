#include "host/bench/measurements.h"

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "storage/storage_error.h"

namespace jobhost::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kLatencyWorkers = 4;
constexpr auto kLook = 20us;         // at a start in another process
constexpr auto kPauseBetween = 2ms;  // samples: the node is idle again

class Stopwatch {
public:
    double seconds() const { return static_cast<double>(steady_now() - start_) / 1e9; }
    double us() const { return static_cast<double>(steady_now() - start_) / 1e3; }

private:
    const std::int64_t start_ = steady_now();
};

void look(const ShouldStop& stop) {
    if (stop()) throw Interrupted{};
}

/// Waits in short naps for what a node does.
template <class Condition>
void wait_until(const Condition& is_so, std::chrono::microseconds nap, const ShouldStop& stop) {
    std::int64_t since = steady_now();
    while (!is_so()) {
        std::this_thread::sleep_for(nap);
        const std::int64_t now = steady_now();
        if (now - since < std::chrono::nanoseconds(100ms).count()) continue;
        since = now;
        look(stop);
    }
}

/// Nobody would do the jobs that are waited for.
ShouldStop stop_when_gone(const ShouldStop& stop, NodeProcess& node) {
    return [&] {
        if (node.has_ended()) throw std::runtime_error("the node that was measured has ended");
        return stop();
    };
}

NewJob job_of(const JobShape& shape) {
    return {.type = shape.type,
            .input = shape.input,
            .max_attempts = shape.max_attempts,
            .source = "bench"};
}

/// Calls `store(count)` with groups that are `jobs` together.
template <class StoreGroup>
double in_groups(int jobs, const ShouldStop& stop, const StoreGroup& store) {
    const Stopwatch watch;
    for (int left = jobs; left > 0; left -= kGroup) {
        look(stop);
        store(std::min(left, kGroup));
    }
    return watch.seconds();
}

/// Of samples, `count` at most, and no more once they have taken too long.
class Enough {
public:
    explicit Enough(int count) : count_(count) {}
    bool operator()(const Samples& taken) const {
        return static_cast<int>(taken.size()) >= count_ || watch_.seconds() > kLongest;
    }

private:
    static constexpr double kLongest = 30;  // seconds
    const int count_;
    const Stopwatch watch_;
};

template <class Act>
Samples one_by_one(int count, const ShouldStop& stop, const Act& act) {
    Samples samples;
    for (const Enough enough(count); !enough(samples);) {
        look(stop);
        const Stopwatch watch;
        act();
        samples.add(watch.us());
    }
    return samples;
}

}  // namespace

double enqueue_in_bulk(StoreHandle& store, const JobShape& shape, int jobs,
                       const ShouldStop& stop) {
    const auto session = store.open_session();
    const std::vector<NewJob> bulk(kGroup, job_of(shape));
    return in_groups(jobs, stop, [&](int count) {
        enqueue(*session, std::span(bulk).first(static_cast<std::size_t>(count)));
    });
}

double enqueue_in_bulk(BareQueue& bare, const JobShape& shape, int jobs, const ShouldStop& stop) {
    return in_groups(jobs, stop, [&](int count) { bare.enqueue(count, shape.input); });
}

Samples enqueue_singly(StoreHandle& store, const JobShape& shape, int jobs,
                       const ShouldStop& stop) {
    const auto session = store.open_session();
    const NewJob job = job_of(shape);
    return one_by_one(jobs, stop, [&] { enqueue(*session, std::span(&job, 1)); });
}

Samples enqueue_singly(BareQueue& bare, const JobShape& shape, int jobs, const ShouldStop& stop) {
    return one_by_one(jobs, stop, [&] { bare.enqueue(1, shape.input); });
}

double run_here(StoreHandle& store, const JobTypes& types, Board& board, int workers, int jobs,
                const ShouldStop& stop) {
    const SystemClock clock;
    CountEnds events(board);
    board.ended = 0;
    const Stopwatch watch;
    Engine engine(node_settings(workers), store, types, clock, events);
    wait_until([&] { return board.ended.load() >= jobs; }, 500us, stop);
    const double seconds = watch.seconds();
    engine.stop();
    return seconds;
}

double run_in_processes(const StoreOptions& store, const SharedBoard& board, int nodes, int workers,
                        int jobs, const ShouldStop& stop) {
    board->ended = 0;
    board->go = false;
    std::vector<std::unique_ptr<NodeProcess>> processes;
    for (int i = 0; i < nodes; ++i) {
        processes.push_back(std::make_unique<NodeProcess>(store, workers, board));
    }
    std::this_thread::sleep_for(500ms);  // they have started and wait for the word
    const Stopwatch watch;
    board->go = true;
    wait_until([&] { return board->ended.load() >= jobs; }, 500us,
               stop_when_gone(stop, *processes.front()));
    return watch.seconds();
}

double run(BareQueue& bare, int jobs, const ShouldStop& stop) {
    const Stopwatch watch;
    for (int taken = 0; taken < jobs;) {
        look(stop);
        taken += bare.exchange(kGroup);
    }
    bare.exchange(0);
    return watch.seconds();
}

void enqueue(Store& session, std::span<const NewJob> jobs) {
    const EnqueueResult result = session.enqueue(jobs);
    if (const auto* refusal = std::get_if<EnqueueRefusal>(&result)) {
        throw std::runtime_error("a job was refused: " + refusal->reason);
    }
}

Samples enqueue_to_start(Store& session, Board& board, int samples, const ShouldStop& stop,
                         std::span<const NewJob> beside) {
    Samples taken;
    for (const Enough enough(std::min(samples, Board::kMostSamples)); !enough(taken);) {
        look(stop);
        const std::size_t sample = taken.size();
        if (!beside.empty()) enqueue(session, beside);
        const NewJob job{.type = kStamp, .input = std::to_string(sample), .source = "bench"};
        enqueue(session, std::span(&job, 1));
        const std::int64_t returned = steady_now();
        const auto& started_at = board.started_at[sample];
        wait_until([&] { return started_at.load() != 0; }, kLook, stop);
        // It may start before the enqueue's return has come to us.
        taken.add(std::max(0.0, static_cast<double>(started_at.load() - returned) / 1e3));
        std::this_thread::sleep_for(kPauseBetween);
    }
    return taken;
}

Samples enqueue_to_start(const StoreOptions& options, int samples, const ShouldStop& stop) {
    const SystemClock clock;
    const auto store = open_store(options, clock);
    const auto session = store->open_session();
    const SharedBoard board;
    board->go = true;
    NodeProcess node(options, kLatencyWorkers, board);
    wait_until([&] { return board->working.load() > 0; }, 1ms, stop_when_gone(stop, node));
    return enqueue_to_start(*session, *board, samples, stop_when_gone(stop, node));
}

Samples take_singly(BareQueue& bare, int samples, const ShouldStop& stop) {
    Samples taken;
    for (const Enough enough(samples); !enough(taken);) {
        look(stop);
        bare.enqueue(1, std::to_string(taken.size()));
        const Stopwatch watch;
        bare.exchange(1);
        taken.add(watch.us());
        bare.exchange(0);
    }
    return taken;
}

}  // namespace jobhost::bench
