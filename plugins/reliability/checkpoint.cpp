#include "plugins/reliability/checkpoint.h"

#include <stdexcept>
#include <string>

#include <jobhost/json.hpp>

namespace reliability {

void Checkpoint::execute(jobhost::JobContext& ctx) {
    constexpr int kSteps = 5;
    constexpr int kStepBeforeFailure = 3;

    const int done = ctx.checkpoint<int>().value_or(0);
    if (done > 0) ctx.log("resuming after step " + std::to_string(done));
    for (int step = done + 1; step <= kSteps; ++step) {
        ctx.throw_if_cancelled();
        ctx.log("step " + std::to_string(step) + " of " + std::to_string(kSteps));
        ctx.progress(step * 100 / kSteps, "step " + std::to_string(step));
        ctx.save_checkpoint(jobhost::json_text(step));
        if (step == kStepBeforeFailure && ctx.attempt() == 1) {
            throw std::runtime_error("failing by design after step " + std::to_string(step));
        }
    }
}

}  // namespace reliability
