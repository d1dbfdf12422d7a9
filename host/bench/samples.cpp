#include "host/bench/samples.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace jobhost::bench {

double Samples::percentile(double share) const {
    if (us_.empty()) return 0;
    std::vector<double> sorted = us_;
    std::ranges::sort(sorted);
    // The nearest rank: the smallest sample that at least this share of them does not exceed.
    const auto rank =
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
    return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

double Samples::per_second() const {
    if (us_.empty()) return 0;
    return static_cast<double>(us_.size()) * 1e6 / std::accumulate(us_.begin(), us_.end(), 0.0);
}

}  // namespace jobhost::bench
