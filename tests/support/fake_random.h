#pragma once

#include "host/engine/random.h"

namespace jobhost {

/// Chance that always says the same: 0 and 1 pin both ends of every random range.
class FakeRandom final : public Random {
public:
    explicit FakeRandom(double unit)
        : bits_(static_cast<std::uint64_t>(unit * 9007199254740991.0) << 11) {}

    std::uint64_t bits() override { return bits_; }

private:
    const std::uint64_t bits_;
};

}  // namespace jobhost
