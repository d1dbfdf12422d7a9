#include "plugins/reliability/sleep.h"

#include <chrono>
#include <thread>

namespace reliability {

void Sleep::execute(const SleepInput& input, jobhost::JobContext& ctx) {
    ctx.sleep_for(std::chrono::milliseconds(input.ms));
}

void Stubborn::execute(const SleepInput& input, jobhost::JobContext&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(input.ms));
}

}  // namespace reliability
