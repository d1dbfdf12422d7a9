#include "plugins/reliability/flaky.h"

#include <stdexcept>
#include <string>

namespace reliability {

void Flaky::execute(jobhost::JobContext& ctx) {
    constexpr int kFailures = 2;
    if (ctx.attempt() <= kFailures) {
        throw std::runtime_error("flaky by design: attempt " + std::to_string(ctx.attempt()) +
                                 " fails, attempt " + std::to_string(kFailures + 1) +
                                 " will succeed");
    }
    ctx.log("succeeded on attempt " + std::to_string(ctx.attempt()));
}

}  // namespace reliability
