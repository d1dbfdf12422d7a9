#include <thread>

#include "tests/bench/benchmarks.h"
#include "tests/bench/suite_types.h"

namespace jobhost::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kWorkers = 4;

void add_percentiles(Subject& subject, const std::string& name, const std::string& title,
                     const Samples& samples) {
    const struct {
        const char* name;
        const char* title;
        double share;
    } shares[] = {{"p50", "p50", 0.5}, {"p99", "p99", 0.99}, {"p999", "p99.9", 0.999}};
    for (const auto& [key, shown, share] : shares) {
        subject.add({.name = "enqueue_to_start_" + name + "_" + key,
                     .title = "enqueue to start, " + title + ", " + shown,
                     .unit = "us",
                     .value = samples.percentile(share),
                     .less_is_better = true});
    }
}

NewJob hostile(bool hangs) {
    return {
        .type = kHostile, .input = hangs ? kHang : "null", .max_attempts = 1, .source = "bench"};
}

/// 10,000 no-ops each second, in groups.
class Load {
public:
    explicit Load(StoreHandle& store)
        : thread_([&store](const std::stop_token& stop) {
              const auto session = store.open_session();
              const std::vector<NewJob> group(
                  50, NewJob{.type = kNoop, .input = usual_input(), .source = "bench"});
              auto next = std::chrono::steady_clock::now();
              while (!stop.stop_requested()) {
                  enqueue(*session, group);
                  next += 5ms;
                  std::this_thread::sleep_until(next);
              }
          }) {}

private:
    std::jthread thread_;
};

void here(Subject& subject, int samples) {
    const FreshStore store(subject);
    const SystemClock clock;
    const SharedBoard board;
    const JobTypes types = suite_types(*board);
    JobEvents events;
    Engine engine(node_settings(kWorkers), *store, types, clock, events);
    const auto session = store->open_session();
    add_percentiles(subject, "here", "same process",
                    enqueue_to_start(*session, *board, samples, never));
}

void elsewhere(Subject& subject, int samples) {
    const ScratchStore place(subject.beside());
    add_percentiles(subject, "elsewhere", "other process",
                    enqueue_to_start(place.options(), samples, never));
}

/// A node in another process that is ready.
struct Elsewhere {
    explicit Elsewhere(const StoreOptions& store) : node(start(board, store)) {
        while (board->working.load() == 0) std::this_thread::sleep_for(1ms);
    }
    static std::unique_ptr<NodeProcess> start(const SharedBoard& board, const StoreOptions& store) {
        board->go = true;
        return std::make_unique<NodeProcess>(store, kWorkers, board);
    }
    const SharedBoard board;
    const std::unique_ptr<NodeProcess> node;
};

void loaded(Subject& subject, int samples) {
    const FreshStore store(subject);
    const Elsewhere other(store.options());
    const Load load(*store);
    const auto session = store->open_session();
    add_percentiles(subject, "loaded", "10,000 jobs/s beside",
                    enqueue_to_start(*session, *other.board, samples, never));
}

/// All dead-letter workers hang, and before each sample another job fails for good.
void beside_hangs(Subject& subject, int samples) {
    const FreshStore store(subject);
    const Elsewhere other(store.options());
    const auto session = store->open_session();
    enqueue(*session,
            std::vector<NewJob>(static_cast<std::size_t>(EngineSettings{}.dead_letter_workers),
                                hostile(true)));
    const NewJob failing = hostile(false);
    add_percentiles(
        subject, "beside_hangs", "hanging handlers",
        enqueue_to_start(*session, *other.board, samples, never, std::span(&failing, 1)));
    other.node->kill();  // a handler that hangs never lets it end in order
}

}  // namespace

void latency(Subject& subject) {
    const int samples = subject.scaled(2'000);
    here(subject, samples);
    elsewhere(subject, samples);
    loaded(subject, samples);
    beside_hangs(subject, samples);
}

}  // namespace jobhost::bench
