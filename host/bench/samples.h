#pragma once

#include <cstddef>
#include <vector>

namespace jobhost::bench {

/// Durations in microseconds, and what lies below which share of them.
class Samples {
public:
    void add(double us) { us_.push_back(us); }

    /// `share` from 0 to 1; 0.5 is the median. 0 without samples.
    double percentile(double share) const;

    /// How many of such durations one after another make a second. 0 without samples.
    double per_second() const;
    std::size_t size() const { return us_.size(); }

private:
    std::vector<double> us_;
};

}  // namespace jobhost::bench
