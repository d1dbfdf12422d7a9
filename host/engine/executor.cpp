#include "host/engine/executor.h"

#include "host/engine/delay_drawer.h"

namespace jobhost {

std::optional<PendingWrite> Executor::before_start(const std::shared_ptr<Run>& run) {
    switch (run->cause_now()) {
        case StopCause::kOperator: {
            const auto end = run->give_up();
            if (!end) return std::nullopt;
            return PendingWrite{
                .write = run->report(Cancel{"cancelled by " + end->cancelled_by, {}}), .run = run};
        }
        case StopCause::kShutdown:
        case StopCause::kTimeout:
            if (!run->give_up()) return std::nullopt;
            return PendingWrite{.write = run->report(Release{}), .run = run};
        case StopCause::kNone:
        case StopCause::kLeaseLost: break;
    }
    const auto& expires_at = run->job().expires_at;
    if (!expires_at || services_.clock.now() <= *expires_at || !run->give_up()) return std::nullopt;
    return PendingWrite{.write = run->report(Expire{}), .run = run};
}

std::optional<PendingWrite> Executor::execute(const std::shared_ptr<Run>& run,
                                              Watchdog::Place& place) {
    if (run->cause_now() == StopCause::kLeaseLost) return std::nullopt;
    if (auto write = before_start(run)) return write;

    run->begin(services_.clock.steady_now());
    place.enter(run, run->first_look());
    services_.events.job_started(run->ref(), run->waited());
    RunResult result = run->type_plan().type->run->run(*run);
    place.leave();

    const SteadyPoint now = services_.clock.steady_now();
    services_.events.run_ended(run->ref(),
                               std::chrono::duration_cast<Duration>(now - run->began_at()));
    const auto end = run->finish(std::move(result), now);
    if (!end) {
        services_.events.lease_lost(run->ref());
        return std::nullopt;
    }
    return outcome(run, *end, &place);
}

PendingWrite Executor::outcome(const std::shared_ptr<Run>& run, const RunEnd& end,
                               Watchdog::Place* place) {
    const RunRef ref = run->ref();
    DelayDrawer delays(types_, random_, services_.clock, services_.events, ref,
                       run->job().max_attempts, place);
    Decision decision =
        decide(run->facts(), end, run->type_plan().rules, services_.clock.now(), delays);
    if (const auto* threw = std::get_if<Threw>(&end.result)) {
        if (std::holds_alternative<Succeed>(decision.next)) {
            services_.events.error_dropped(ref, threw->why.error, "it had called complete()");
        } else if (std::holds_alternative<Release>(decision.next)) {
            services_.events.error_dropped(ref, threw->why.error,
                                           "it is given back: its node is stopping");
        }
    }
    return {.write = run->report(std::move(decision.next)),
            .run = run,
            .late_success = decision.late_success,
            .detail = std::move(decision.detail)};
}

}  // namespace jobhost
