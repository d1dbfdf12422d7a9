#include "host/bench/benchmark.h"

#include "storage/measure/scratch_store.h"

namespace jobhost::bench {
namespace {

/// One figure for the store and one for the engine alone.
struct Pair {
    double store = 0;
    double bare = 0;
};

class Benchmark {
public:
    Benchmark(const StoreOptions& beside, const BenchmarkOptions& options)
        : beside_(beside), options_(options) {}

    StoreFigures run() {
        many();
        single();
        latency();
        return std::move(figures_);
    }

private:
    /// The store that is measured, and the engine alone, each in a place of its own.
    struct Places {
        explicit Places(const StoreOptions& beside) : store(beside), bare(beside) {}
        void remove() {
            store.remove();
            bare.remove();
        }
        ScratchStore store;
        ScratchStore bare;
    };

    void say(const std::string& what) const { options_.progress(what); }

    void many() {
        Places places(beside_);
        Pair enqueue;
        Pair work;
        {
            const auto store = open_store(places.store.options(), clock_);
            figures_.store = store->description();
            say("bulk enqueue");
            enqueue.store = enqueue_in_bulk(*store, {}, options_.jobs, options_.stop);
            say("claim, run and complete");
            const SharedBoard board;
            const JobTypes types = standard_types(*board);
            work.store =
                run_here(*store, types, *board, options_.workers, options_.jobs, options_.stop);
        }
        {
            const auto bare = open_bare_queue(places.bare.options());
            say("the same by the bare engine");
            enqueue.bare = enqueue_in_bulk(*bare, {}, options_.jobs, options_.stop);
            work.bare = bench::run(*bare, options_.jobs, options_.stop);
        }
        places.remove();
        const auto rate = [&](const Pair& seconds) {
            return Pair{options_.jobs / seconds.store, options_.jobs / seconds.bare};
        };
        add_rate("bulk_enqueue", "bulk enqueue", rate(enqueue));
        add_rate("run", "claim, run and complete", rate(work));
    }

    void single() {
        Places places(beside_);
        say("single enqueue");
        Pair rate;
        {
            const auto store = open_store(places.store.options(), clock_);
            const auto bare = open_bare_queue(places.bare.options());
            const Samples ours = enqueue_singly(*store, {}, options_.samples, options_.stop);
            const Samples alone = enqueue_singly(*bare, {}, options_.samples, options_.stop);
            rate = {ours.per_second(), alone.per_second()};
        }
        places.remove();
        add_rate("single_enqueue", "single durable enqueue", rate);
    }

    void latency() {
        Places places(beside_);
        say("enqueue to start in another process");
        Samples ours;
        Samples alone;
        {
            ours = enqueue_to_start(places.store.options(), options_.samples, options_.stop);
            const auto bare = open_bare_queue(places.bare.options());
            alone = take_singly(*bare, options_.samples, options_.stop);
        }
        places.remove();
        const struct {
            const char* name;
            const char* title;
            double share;
        } shares[] = {{"enqueue_to_start_p50", "enqueue to start elsewhere, p50", 0.5},
                      {"enqueue_to_start_p99", "enqueue to start elsewhere, p99", 0.99},
                      {"enqueue_to_start_p999", "enqueue to start elsewhere, p99.9", 0.999}};
        for (const auto& [name, title, share] : shares) {
            figures_.rows.push_back({.name = name,
                                     .title = title,
                                     .unit = "us",
                                     .value = ours.percentile(share),
                                     .bare = alone.percentile(share),
                                     .less_is_better = true});
        }
    }

    void add_rate(const char* name, const char* title, const Pair& rate) {
        figures_.rows.push_back({.name = name,
                                 .title = title,
                                 .unit = "jobs/s",
                                 .value = rate.store,
                                 .bare = rate.bare});
    }

    const StoreOptions& beside_;
    const BenchmarkOptions& options_;
    const SystemClock clock_;
    StoreFigures figures_;
};

}  // namespace

std::optional<double> Row::ratio() const {
    if (!bare || *bare <= 0 || value <= 0) return std::nullopt;
    return less_is_better ? *bare / value : value / *bare;
}

StoreFigures run_benchmark(const StoreOptions& beside, const BenchmarkOptions& options) {
    return Benchmark(beside, options).run();
}

}  // namespace jobhost::bench
