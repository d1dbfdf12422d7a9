#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "storage/clock.h"

namespace jobhost {

/// How often which size came, in fixed steps. Adding costs three atomic additions; thread-safe.
class Histogram {
public:
    static constexpr std::size_t kMostSteps = 16;

    /// `steps`: upper ends, growing, at most 16. What is above the last one counts as well.
    explicit Histogram(std::vector<std::int64_t> steps) : steps_(std::move(steps)) {}

    void add(std::int64_t size);

    struct Counted {
        std::vector<std::int64_t> up_to = {};  // for each step: how many were not above it
        std::int64_t all = 0;
        std::int64_t sum = 0;
    };
    Counted counted() const;
    const std::vector<std::int64_t>& steps() const { return steps_; }

private:
    const std::vector<std::int64_t> steps_;
    std::array<std::atomic<std::int64_t>, kMostSteps + 1> counts_ = {};
    std::atomic<std::int64_t> sum_ = 0;
};

}  // namespace jobhost
