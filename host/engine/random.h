#pragma once

#include <cstdint>

namespace jobhost {

/// Chance, injected, so that tests pin both ends of every random range. Thread-safe.
class Random {
public:
    virtual ~Random() = default;
    virtual std::uint64_t bits() = 0;

    /// From 0 to 1, both included.
    double unit() { return static_cast<double>(bits() >> 11) / 9007199254740991.0; }

    /// From `least` to `most`, both included.
    double between(double least, double most) { return least + unit() * (most - least); }
};

/// Per-thread generators seeded by the operating system.
class SystemRandom final : public Random {
public:
    std::uint64_t bits() override;
};

}  // namespace jobhost
