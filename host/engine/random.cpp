#include "host/engine/random.h"

#include <random>

namespace jobhost {

std::uint64_t SystemRandom::bits() {
    thread_local std::mt19937_64 generator = [] {
        std::random_device device;
        std::seed_seq seed{device(), device(), device(), device()};
        return std::mt19937_64(seed);
    }();
    return generator();
}

}  // namespace jobhost
