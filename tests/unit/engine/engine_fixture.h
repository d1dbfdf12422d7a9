#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "host/engine/engine.h"
#include "tests/unit/engine/store_fixture.h"

namespace jobhost {

/// A working node on a store of its own. Add types, adjust settings, then `start`.
class EngineTest : public testing::Test {
protected:
    EngineTest() {
        settings.service = "test";
        settings.queues = {{"default", 2, {}}};
        settings.beat_interval = std::chrono::milliseconds(100);
        settings.dead_letter_workers = 2;
    }

    void start(EngineHooks hooks = {}) {
        engine = std::make_unique<Engine>(settings, store.handle(), types, clock, events,
                                          std::move(hooks));
    }

    /// Enqueues a job of type `a`, unless told otherwise.
    JobId enqueue(NewJob job = {.type = "a"}) { return store.enqueue(std::move(job)); }

    /// Waits until all that is due was done and stored, dead-letter runs included.
    [[nodiscard]] bool settle() {
        const SteadyPoint until = clock.steady_now() + std::chrono::seconds(20);
        return engine->wait_until_empty([&] { return clock.steady_now() > until; });
    }

    Job job(JobId id) { return store.job(id); }

    const SystemClock clock = {};
    StoreOfTest store{clock};
    RecordingEvents events = {};
    JobTypes types = {};
    EngineSettings settings = {};
    std::unique_ptr<Engine> engine = {};
};

/// Retries at once.
inline PolicyLevel retry_at_once(int max_attempts = 10) {
    PolicyLevel policy;
    policy.retry.max_attempts = max_attempts;
    policy.retry.initial_delay = Duration(0);
    return policy;
}

}  // namespace jobhost
