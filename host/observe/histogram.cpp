#include "host/observe/histogram.h"

#include <algorithm>

namespace jobhost {

void Histogram::add(std::int64_t size) {
    const auto step = std::ranges::lower_bound(steps_, size);
    counts_[static_cast<std::size_t>(step - steps_.begin())].fetch_add(1,
                                                                       std::memory_order_relaxed);
    sum_.fetch_add(size, std::memory_order_relaxed);
}

Histogram::Counted Histogram::counted() const {
    Counted counted;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        counted.all += counts_[i].load(std::memory_order_relaxed);
        counted.up_to.push_back(counted.all);
    }
    counted.all += counts_[steps_.size()].load(std::memory_order_relaxed);
    counted.sum = sum_.load(std::memory_order_relaxed);
    return counted;
}

}  // namespace jobhost
