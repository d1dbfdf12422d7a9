#pragma once

#include <memory>
#include <string>

#include "host/engine/executor.h"
#include "host/engine/worker_queue.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_random.h"
#include "tests/support/recording_events.h"
#include "tests/support/scripted_types.h"

namespace jobhost {

/// What the pieces of a node share, without a store and with a clock that tests move.
struct EngineParts {
    FakeClock clock = {};
    RecordingEvents events = {};
    WriteQueue writes = {};
    StorageHealth health{events};
    RunServices services{clock, events, writes, health};
    FakeRandom random{0};
    JobTypes types = {};
    Executor executor{types, random, services};
    EngineSettings settings = {};

    /// One queue `default`, for all types.
    std::shared_ptr<const Plan> plan(int workers = 1) {
        settings.queues = {{"default", workers, {}}};
        return make_plan(settings, types);
    }

    /// A claimed job of the first type.
    std::shared_ptr<Run> run_of(const std::shared_ptr<const Plan>& plan, JobId job) {
        return run_of(plan, claimed(job));
    }
    std::shared_ptr<Run> run_of(const std::shared_ptr<const Plan>& plan, ClaimedJob job) {
        return std::make_shared<Run>(std::move(job), plan, services, clock.steady_now());
    }

    static ClaimedJob claimed(JobId job) {
        ClaimedJob claimed;
        claimed.lease = {.job = job, .node = 1, .fence = 7};
        claimed.attempt = 1;
        claimed.max_attempts = 3;
        return claimed;
    }

    /// The next write that a run handed over. Waits for it.
    PendingWrite next_write() {
        while (true) {
            auto taken = writes.take(1);
            if (!taken.empty()) return std::move(taken.front());
            writes.wait_until(SteadyPoint::max());
        }
    }
};

}  // namespace jobhost
