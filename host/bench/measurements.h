#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/bench/bench_types.h"
#include "host/bench/node_process.h"
#include "host/bench/samples.h"
#include "storage/measure/bare_queue.h"

namespace jobhost::bench {

// One measurement each, of a store or of the bare engine beside it. They look between groups
// whether they should stop, and throw Interrupted then; StorageError when the store breaks down.

struct Interrupted {};
using ShouldStop = std::function<bool()>;

// There are fewer samples than asked for when they take more than 30 seconds.

inline constexpr int kGroup = 1000;  // jobs in one transaction

/// What all jobs of a measurement are.
struct JobShape {
    std::string type = kNoop;
    std::string input = usual_input();
    std::optional<int> max_attempts = {};
};

/// Seconds for storing so many, in groups of kGroup, each durable.
double enqueue_in_bulk(StoreHandle& store, const JobShape& shape, int jobs, const ShouldStop& stop);
double enqueue_in_bulk(BareQueue& bare, const JobShape& shape, int jobs, const ShouldStop& stop);

/// How long each of so many takes when it is stored alone, durable on return.
Samples enqueue_singly(StoreHandle& store, const JobShape& shape, int jobs, const ShouldStop& stop);
Samples enqueue_singly(BareQueue& bare, const JobShape& shape, int jobs, const ShouldStop& stop);

/// Seconds from the start of a node in this process until `jobs`, which wait already, have ended.
double run_here(StoreHandle& store, const JobTypes& types, Board& board, int workers, int jobs,
                const ShouldStop& stop);

/// The same with nodes in processes of their own.
double run_in_processes(const StoreOptions& store, const SharedBoard& board, int nodes, int workers,
                        int jobs, const ShouldStop& stop);

/// Takes and ends them, in groups of kGroup.
double run(BareQueue& bare, int jobs, const ShouldStop& stop);

/// Stores these, which must be fit.
void enqueue(Store& session, std::span<const NewJob> jobs);

/// From the return of an enqueue to the start of the job in a node that shares the board and has
/// nothing else to do. `beside`: what else is enqueued before each sample.
Samples enqueue_to_start(Store& session, Board& board, int samples, const ShouldStop& stop,
                         std::span<const NewJob> beside = {});

/// The same with a node in a process of its own.
Samples enqueue_to_start(const StoreOptions& store, int samples, const ShouldStop& stop);

/// As a lower bound of that: how long it takes to take one waiting row, by who knows that it is
/// there.
Samples take_singly(BareQueue& bare, int samples, const ShouldStop& stop);

}  // namespace jobhost::bench
