#include "tests/bench/subject.h"

#include <algorithm>
#include <cstdio>

namespace jobhost::bench {

Subject::Subject(std::string engine, StoreOptions beside, double scale)
    : engine_(std::move(engine)), beside_(std::move(beside)), scale_(scale) {}

int Subject::scaled(int count) const {
    return std::max(1, static_cast<int>(count * scale_));
}

void Subject::begin(const std::string& benchmark) {
    benchmark_ = benchmark;
}

void Subject::add(Row row) {
    std::string bare;
    if (row.bare) {
        char text[64] = {};
        std::snprintf(text, sizeof text, "%12.1f %6.2f", *row.bare, row.ratio().value_or(0));
        bare = text;
    }
    // On standard error, like all that is not the document.
    std::fprintf(stderr, "%-10s %-12s %-46s %12.*f %-7s%s\n", engine_.c_str(), benchmark_.c_str(),
                 row.title.c_str(), row.value < 1 ? 3 : 1, row.value, row.unit.c_str(),
                 bare.c_str());
    results_.push_back({.benchmark = benchmark_, .row = std::move(row)});
}

}  // namespace jobhost::bench
