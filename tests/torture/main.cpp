#include <iostream>
#include <random>
#include <unistd.h>

#include "tests/torture/fault_plan.h"
#include "tests/torture/options.h"
#include "tests/torture/run.h"

namespace jobhost::torture {
namespace {

constexpr unsigned kOverhead = 300;  // seconds for start, drain and check, far more than they take

int start(const Options& options) {
    const std::uint64_t seed = options.seed.value_or(std::random_device()() % 1'000'000);
    std::cout << "seed " << seed << ", " << name_of(options.engine) << ", "
              << options.length.count() / 1000 << " s of faults" << std::endl;
    if (options.only_plan) {
        for (const Fault& fault : plan_faults(seed, options.engine, options.length)) {
            std::cout << describe(fault) << '\n';
        }
        return 0;
    }
    // Whatever hangs: this process ends, and all others with it.
    ::alarm(static_cast<unsigned>(options.length.count() / 1000) + kOverhead);
    return run(options, seed);
}

}  // namespace
}  // namespace jobhost::torture

int main(int argc, char** argv) {
    using namespace jobhost::torture;
    Options options;
    try {
        options = read_options(argc, argv);
    } catch (const std::invalid_argument& error) {
        std::cerr << "torture: " << error.what() << "\n\n" << kHelp;
        return 2;
    }
    if (options.help) {
        std::cout << kHelp;
        return 0;
    }
    try {
        return start(options);
    } catch (const std::exception& error) {
        std::cerr << "torture: " << error.what() << std::endl;
        return 2;
    }
}
